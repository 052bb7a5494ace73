import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { methods } from '../generated/operations';

const HELP = `Compares this package with an earlier commit, undici's dispatch and node-soap. They take turns in each round, so
that a busy machine slows all of them. This package and the earlier commit run in one process: two processes differ by
themselves. Prints the median of the rounds, and the median of the ratios of this package to each of the others. Needs
Linux and bash.

  npm run bench                         measures the parts small, array, list and cli
  npm run bench -- --earlier COMMIT     also measures an earlier commit, which is built from its own sources, or a
                                        folder in which an earlier commit is built
  npm run bench -- --only list,cli      measures these parts. One more part, sandbox, is the load that a sandbox takes
  npm run bench -- --rounds 5           measures 5 rounds in place of 15. Their ratios are rough
`;

/** The folder of this package, from which npm starts the program. */
const ROOT = process.cwd();
const PARTS = ['small', 'array', 'list', 'cli', 'sandbox'];

// The requests that all clients send, and the responses that they read.

const NAMESPACE = 'http://messaging.example/';
const API_KEY = 'bench-key';

const list = <T>(length: number, at: (index: number) => T): T[] => Array.from({ length }, (_, index) => at(index));
const idAt = (index: number): bigint => 4_611_686_018_427_387_905n + BigInt(index);
const receptorAt = (index: number): string => `0912${String(index).padStart(7, '0')}`;
/** Every tenth text has two lines, and characters to escape. */
const textAt = (index: number): string =>
  index % 10 === 7 ? `<b>تخفیف</b> & ارسال رایگان\nبرای سفارش ${index}` : `مشترک گرامی، بسته شماره ${index} ارسال شد`;

/** The requests of the measured operations. Their responses have 1, 1,000 and 20,000 items. */
const REQUESTS = {
  SendSimpleByApikey: { sender: '3000', message: 'سلام دنیا', receptor: [receptorAt(0)], unixdate: 0, msgmode: 1 },
  SendArrayByApikey: {
    sender: list(1000, () => '3000'),
    message: list(1000, textAt),
    receptor: list(1000, receptorAt),
    unixdate: 0,
    msgmode: list(1000, () => 1),
  },
  SelectlatestByApikey: { pagesize: 20_000 },
};
type Operation = keyof typeof REQUESTS;

const escapeText = (text: string): string =>
  /[&<>]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text;

const envelopeOf = (payload: string): string =>
  '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"' +
  ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">' +
  `<soap:Body>${payload}</soap:Body></soap:Envelope>`;

/** Writes a record as an ASP.NET service does, with an unescaped CR before each LF. */
function recordAt(index: number): string {
  const message = escapeText(textAt(index)).replaceAll('\n', '\r\n');
  return (
    `<ApiSelect><messageid>${idAt(index)}</messageid><message>${message}</message><status>${index % 4}</status>` +
    `<statustext>sent</statustext><sender>3000</sender><receptor>${receptorAt(index)}</receptor>` +
    `<date>${1_700_000_000 + index}</date><cost>120</cost></ApiSelect>`
  );
}

// The server and the clients.

/** Responds to each operation with prepared bytes. */
function servePreparedBytes(): void {
  const longs = (count: number): string => list(count, (index) => `<long>${idAt(index)}</long>`).join('');
  const results = {
    RemainCreditByApiKey: idAt(0),
    SendSimpleByApikey: longs(1),
    SendArrayByApikey: longs(1000),
    SelectlatestByApikey: list(20_000, recordAt).join(''),
  };
  const responses = new Map<string | undefined, Buffer>();
  for (const [operation, result] of Object.entries(results)) {
    const fields = `<${operation}Result>${result}</${operation}Result><status>200</status><statusmessage />`;
    const payload = `<${operation}Response xmlns="${NAMESPACE}">${fields}</${operation}Response>`;
    responses.set(`"${NAMESPACE}${operation}"`, Buffer.from(envelopeOf(payload)));
  }
  const server = createServer((request, response) => {
    const bytes = responses.get(request.headers.soapaction as string) as Buffer;
    const headers = { 'content-type': 'text/xml; charset=utf-8', 'content-length': bytes.length };
    request.resume().on('end', () => response.writeHead(200, headers).end(bytes));
  });
  server.listen(0, '127.0.0.1', () => answer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, []));
}

/** Prepares a call, outside the measurement. */
type Client = (operation: Operation) => () => Promise<readonly unknown[]>;

/** This package, or an earlier commit of it, from the folder in which it was built. */
function packageClient(url: string, folder: string): Client {
  const { MessagingClient }: typeof import('../src') = require(join(folder, 'dist/src/index.js'));
  const required = { baseUrl: url, namespace: NAMESPACE, apiKey: API_KEY, successStatuses: [200] };
  const client = new MessagingClient({ ...required, maxConnections: 64 });
  return (operation) => {
    const method = client[methods[operation] as keyof typeof client] as unknown as (
      request: object,
    ) => Promise<unknown[]>;
    return () => method.call(client, REQUESTS[operation]);
  };
}

type Field = string | number | readonly (string | number)[];
const elementOf = (items: Field & object): string => (typeof items[0] === 'number' ? 'int' : 'string');

/** node-soap as its README shows it. */
async function nodeSoapClient(url: string): Promise<Client> {
  const { createClientAsync } = await import('soap');
  const client = await createClientAsync(join(ROOT, 'wsdl/messaging.v1.wsdl'), {}, `${url}/soap/v1.asmx`);
  return (operation) => {
    const request: Record<string, unknown> = { apikey: API_KEY };
    for (const [name, value] of Object.entries<Field>(REQUESTS[operation]))
      request[name] = typeof value === 'object' ? { [elementOf(value)]: value } : value;
    Object.assign(request, { status: 0, statusmessage: '' });
    return async () => {
      const [response] = await client[`${operation}Async`](request);
      return Object.values<unknown[]>(response[`${operation}Result`])[0] as unknown[];
    };
  };
}

/**
 * undici's bare dispatch with string templates and regular expressions: the least that a call costs on Node. It checks
 * nothing, and reads only the spelling of the server's responses.
 */
async function undiciClient(url: string): Promise<Client> {
  const { Pool } = await import('undici');
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  const post = (operation: string, fields: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const content = `<apikey>${API_KEY}</apikey>${fields}<status>0</status><statusmessage></statusmessage>`;
      const body = envelopeOf(`<${operation} xmlns="${NAMESPACE}">${content}</${operation}>`);
      const headers = ['Content-Type', 'text/xml; charset=utf-8', 'SOAPAction', `"${NAMESPACE}${operation}"`];
      // The handler interface that undici uses inside. Its newer interface is an adapter around this one.
      pool.dispatch(
        { path: '/soap/v1.asmx', method: 'POST', headers, body },
        {
          onConnect() {},
          onHeaders: () => true,
          onData: (chunk) => chunks.push(chunk) > 0,
          onComplete: () => resolve(Buffer.concat(chunks).toString()),
          onError: reject,
        },
      );
    });
  return (operation) => {
    const fields = Object.entries<Field>(REQUESTS[operation]);
    const read = operation === 'SelectlatestByApikey' ? readRecords : readLongs;
    return async () =>
      read(await post(operation, fields.map(([name, value]) => `<${name}>${writeValue(value)}</${name}>`).join('')));
  };
}

function writeValue(value: Field): string {
  if (typeof value !== 'object') return escapeText(String(value));
  const element = elementOf(value);
  return value.map((item) => `<${element}>${escapeText(String(item))}</${element}>`).join('');
}

const REFERENCES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '\r\n': '\n' };
const readText = (text: string): string =>
  /[&\r]/.test(text) ? text.replace(/&amp;|&lt;|&gt;|\r\n/g, (found) => REFERENCES[found] as string) : text;

const readLongs = (response: string): bigint[] =>
  Array.from(response.matchAll(/<long>([^<]*)<\/long>/g), ([, digits]) => BigInt(digits as string));

const FIELDS = ['messageid', 'message', 'status', 'statustext', 'sender', 'receptor', 'date', 'cost'];
const RECORD = new RegExp(FIELDS.map((name) => `<${name}>([^<]*)</${name}>`).join(''), 'g');

function readRecords(response: string): object[] {
  return Array.from(response.matchAll(RECORD), (found) => {
    const [, id = '', text = '', status, statustext, sender, receptor, time = '', cost] = found;
    const [messageid, message, date] = [BigInt(id), readText(text), BigInt(time)];
    return { messageid, message, status: Number(status), statustext, sender, receptor, date, cost: Number(cost) };
  });
}

// The parts that each competitor measures, in a process of its own.

type Values = Record<string, number>;
/** Measures one round of each part. The parts are by name, and the values of a round by the titles of their rows. */
type Parts = Record<string, () => Promise<Values>>;

/**
 * Returns the parts of each competitor in this process.
 *
 * @param name undici, node-soap, node, or the folders of built packages
 */
async function partsOf(name: string, url: string): Promise<Parts[]> {
  if (name === 'undici') return [partsOfClient(await undiciClient(url))];
  if (name === 'node-soap') return [partsOfClient(await nodeSoapClient(url))];
  if (name === 'node') return [{ cli: () => measureCommand(url, '-e', '0') }];
  return name.split(delimiter).map((folder) => ({
    ...partsOfClient(packageClient(url, folder)),
    cli: () => measureCommand(url, join(folder, 'dist/bin/messaging.js'), 'remain-credit'),
    sandbox: () => measureSandbox(folder),
  }));
}

function partsOfClient(client: Client): Parts {
  const cpuOf = async (operation: Operation, atOnce: number) => (await measureCalls(client, operation, atOnce)).cpu;
  return {
    small: async () => ({
      'sendSimple, one at a time': await cpuOf('SendSimpleByApikey', 1),
      'sendSimple, 16 at once': await cpuOf('SendSimpleByApikey', 16),
    }),
    array: async () => ({ 'sendArray of 1,000': await cpuOf('SendArrayByApikey', 1) }),
    list: async () => ({ 'list of 20,000 records': await cpuOf('SelectlatestByApikey', 1) }),
    load: () => measureCalls(client, 'SendSimpleByApikey', 64),
  };
}

/** Makes calls for 300 ms. Measures the CPU time and the 99th percentile of the duration of a call, in milliseconds. */
async function measureCalls(client: Client, operation: Operation, atOnce: number) {
  const call = client(operation);
  const durations: number[] = [];
  // The garbage of the competitor before would be collected in this measurement.
  (globalThis as { gc?: () => void }).gc?.();
  const [begin, cpuBefore] = [performance.now(), cpuTime()];
  const loop = async (): Promise<void> => {
    for (let start = begin, end = begin; end <= begin + 300; start = end) {
      if ((await call()).length === 0) throw new Error(`${operation}: no items were read`);
      end = performance.now();
      durations.push(end - start);
    }
  };
  await Promise.all(list(atOnce, loop));
  const [cpu, time, calls] = [cpuTime() - cpuBefore, performance.now() - begin, durations.length];
  const p99 = durations.sort((left, right) => left - right)[Math.ceil(calls * 0.99) - 1] as number;
  return { calls, callsPerSecond: (1000 * calls) / time, p99, cpu: cpu / calls };
}

/** Returns the CPU time of this process in milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Measures the CPU time of a command, from the start of its process to the end. */
async function measureCommand(url: string, ...args: string[]): Promise<Values> {
  const settings = { MESSAGING_NAMESPACE: NAMESPACE, MESSAGING_API_KEY: API_KEY, MESSAGING_SUCCESS_STATUSES: '200' };
  const env = { PATH: process.env.PATH, MESSAGING_BASE_URL: url, ...settings };
  // With a socket as its stdin, bash would take itself for a remote shell and read .bashrc.
  const command = ['-c', 'TIMEFORMAT="%3U %3S"; time "$0" "$@"', process.execPath, ...args];
  const { status, stderr } = spawnSync('bash', command, { env, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  const [user, system] = stderr.split(' ').map(Number) as [number, number];
  return { 'messaging remain-credit': 1000 * (user + system) };
}

/** The processes that send messages to the sandboxes of this process, by the folder of the package. */
const senders = new Map<string, ChildProcess>();

/** Measures the sandbox of a package in this process, while undici's bare dispatch sends to it over 64 connections. */
async function measureSandbox(folder: string): Promise<Values> {
  let sender = senders.get(folder);
  if (!sender) {
    const { startSandbox }: typeof import('../src/sandbox') = require(join(folder, 'dist/src/sandbox/index.js'));
    const { baseUrl } = await startSandbox({ apiKeys: [API_KEY], namespace: NAMESPACE });
    [sender] = await start('undici', baseUrl);
    senders.set(folder, sender);
  }
  const before = cpuTime();
  const { calls = 0, callsPerSecond = 0, p99 = 0 } = await ask(sender, 'load');
  return {
    'sandbox, 64 connections': (cpuTime() - before) / calls,
    'sandbox, 64 connections, 99th percentile of the duration': p99,
    'sandbox, 64 connections, calls a second': callsPerSecond,
  };
}

// The process that measures.

/** This file without types. Each competitor runs in a process of its own, without the compiler. */
const PROGRAM = join(ROOT, 'node_modules/.cache/bench.js');

/** Starts the server, or a competitor by its name. Returns its first message as well. */
async function start(name: string, url = ''): Promise<[ChildProcess, string]> {
  const child = fork(PROGRAM, [name, url], { execArgv: ['--expose-gc'] });
  // The process has printed the error.
  child.once('exit', () => process.exit(1));
  return [child, (await once(child, 'message'))[0]];
}

/** Names a part of a competitor in a process. */
interface Question {
  readonly part: string;
  /** The place of the competitor among those of the process, from 0. */
  readonly place: number;
}

/** Lets a competitor measure a part in one round. A competitor that does not have the part returns no values. */
async function ask(child: ChildProcess, part: string, place = 0): Promise<Values> {
  const response = once(child, 'message');
  child.send({ part, place } satisfies Question);
  return (await response)[0];
}

/** Sends the first message, and measures the parts that the process asks for which started this process. */
function answer(first: string, competitors: readonly Parts[]): void {
  process.on('message', async ({ part, place }: Question) =>
    process.send?.((await competitors[place]?.[part]?.()) ?? {}),
  );
  process.on('disconnect', () => process.exit());
  process.send?.(first);
}

/** Returns the median of an odd number of values. */
const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] as number;

/** Prints the medians, and the medians of the ratios of this package to the others in each round. */
function printTable(table: Record<string, Record<string, number[]>>): void {
  const names = [...new Set(Object.values(table).flatMap(Object.keys))];
  const write = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 });
  console.log(`| CPU time of a call, ms | ${names.join(' | ')} |\n|---|${'--:|'.repeat(names.length)}`);
  for (const [title, row] of Object.entries(table)) {
    const cells = names.map((name) => {
      const values = row[name];
      if (!values) return '';
      if (name === 'this') return write(median(values));
      const ratio = median(values.map((value, round) => (row.this?.[round] as number) / value));
      return `${write(median(values))}, ${ratio.toFixed(2)} ×`;
    });
    console.log(`| ${title} | ${cells.join(' | ')} |`);
  }
  console.log(`\n${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`);
}

/** Builds a commit in a git worktree, from its own sources and with its own dependencies. Returns the folder. */
function buildCommit(commit: string): string {
  if (existsSync(join(commit, 'dist'))) return resolve(commit);
  const folder = mkdtempSync(join(tmpdir(), 'messaging-bench-'));
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder, commit], { cwd: ROOT });
  process.once('exit', () => execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: ROOT }));
  // npm ci also runs the script `prepare`, which builds the package.
  execFileSync('npm', ['ci', '--silent', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  return folder;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean' },
      earlier: { type: 'string' },
      only: { type: 'string', default: PARTS.slice(0, 4).join() },
      rounds: { type: 'string', default: '15' },
    },
  });
  if (values.help) return console.log(HELP);
  const parts = values.only.split(',');
  const unknown = parts.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: the parts are ${PARTS.join(', ')}`);
  const rounds = Number(values.rounds);
  if (rounds % 2 !== 1) throw new Error(`--rounds ${values.rounds}: an odd number is needed, which has a median`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  await build({
    entryPoints: [__filename],
    outfile: PROGRAM,
    platform: 'node',
    format: 'cjs',
    bundle: true,
    packages: 'external',
  });
  const [, url] = await start('server');
  const packages = values.earlier === undefined ? [ROOT] : [ROOT, buildCommit(values.earlier)];
  const [child] = await start(packages.join(delimiter), url);
  const competitors = packages.map((_, place) => ({ title: place === 0 ? 'this' : 'earlier', child, place }));
  const others = { undici: 'undici', 'node-soap': 'node-soap', 'node -e 0': 'node' };
  for (const [title, name] of Object.entries(others))
    competitors.push({ title, child: (await start(name, url))[0], place: 0 });
  /** The values of each round, by the title of the row and the title of the competitor. */
  const table: Record<string, Record<string, number[]>> = {};
  // The first rounds do not count: V8 compiles code that runs often, and files come into the caches.
  for (const part of parts) {
    for (let round = -Math.min(3, rounds); round < rounds; round++) {
      // The order changes, so that no competitor always follows the same one.
      for (const { title: competitor, child, place } of round % 2 === 0 ? competitors : competitors.toReversed()) {
        for (const [title, value] of Object.entries(await ask(child, part, place))) {
          if (round < 0) continue;
          const row = table[title] ?? {};
          table[title] = { ...row, [competitor]: [...(row[competitor] ?? []), value] };
        }
      }
    }
  }
  printTable(table);
}

const [name = '', url = ''] = process.argv.slice(2);
if (!process.send) main().then(() => process.exit());
else if (name === 'server') servePreparedBytes();
else partsOf(name, url).then((competitors) => answer('ready', competitors));
