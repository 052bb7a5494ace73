import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import type { ApiSelect } from '../generated/v1/definitions/ApiSelect';

const HELP = `Compares this package with an earlier commit of itself, with undici's bare dispatch and with node-soap. Each client runs in
a process of its own. The clients take turns in each round, so that a busy machine slows all of them. Prints the medians of the
rounds, and the medians of the ratios of this package to each other client. Needs Linux and bash.

  npm run bench                         measures the parts small, array, list and cli
  npm run bench -- --earlier COMMIT     also measures an earlier commit, which is built from its own sources
  npm run bench -- --only list,cli      measures these parts. One more part, sandbox, is the load that a sandbox takes
  npm run bench -- --quick              measures a shorter list in fewer rounds. Its ratios are rough
`;

const ROOT = resolve(__dirname, '..');
/** The numbers of rounds, and the milliseconds of a warm-up and of a round. */
const FULL = { rounds: 9, milliseconds: 300, warmUp: 3000, records: 200_000, listRounds: 3, cliRounds: 15 };
const QUICK = { rounds: 5, milliseconds: 60, warmUp: 1000, records: 20_000, listRounds: 1, cliRounds: 5 };

// The requests that all clients send, and the results that they must read.

const NAMESPACE = 'http://messaging.example/';
const API_KEY = 'bench-key';
const PATH = '/soap/v1.asmx';

/** The operations that are measured; `status` of a request says how many items the server puts into the response. */
type Operation = 'SendSimpleByApikey' | 'SendArrayByApikey' | 'SelectlatestByApikey';
type Field = string | number | string[] | number[];

/** Returns an id of 19 digits. A client that reads it as a double changes its last digits. */
const idAt = (index: number): bigint => 4_611_686_018_427_387_905n + BigInt(index);
const receptorAt = (index: number): string => `0912${String(index).padStart(7, '0')}`;
const list = <T>(length: number, at: (index: number) => T): T[] => Array.from({ length }, (_, index) => at(index));

/** Each 20 texts contain an absent text, an empty text, a text of two lines, and a text with characters to escape. */
function textAt(index: number): string | undefined {
  if (index % 20 === 7) return undefined;
  if (index % 20 === 11) return '';
  if (index % 20 === 13) return `کد ورود شما ${index}\nاین کد را به کسی ندهید`;
  if (index % 20 === 17) return `<b>تخفیف</b> & ارسال رایگان برای سفارش ${index}`;
  return `مشترک گرامی، بسته شماره ${index} به نشانی شما ارسال شد. سپاس از خرید شما`;
}

/** Returns the fields of a request in the order of the contract. */
function requestOf(operation: Operation, items: number): Record<string, Field> {
  const sent = { unixdate: 0, msgmode: 1, status: items };
  if (operation === 'SelectlatestByApikey') return { pagesize: items, status: items };
  if (operation === 'SendSimpleByApikey')
    return { sender: '3000', message: 'سلام دنیا', receptor: [receptorAt(0)], ...sent };
  const message = list(items, (index) => textAt(index) || `پیام ${index}`);
  const [sender, receptor, msgmode] = [list(items, () => '3000'), list(items, receptorAt), list(items, () => 1)];
  return { sender, message, receptor, ...sent, msgmode };
}

function recordAt(index: number): ApiSelect {
  const message = textAt(index);
  return {
    messageid: idAt(index),
    ...(message !== undefined && { message }),
    status: index % 4,
    statustext: ['queued', 'scheduled', 'sent', 'delivered'][index % 4] as string,
    sender: `3000${index % 10}`,
    receptor: receptorAt(index),
    date: BigInt(1_700_000_000 + index),
    cost: 120 + (index % 3) * 120,
  };
}

const escapeText = (text: string): string =>
  /[&<>]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text;

const envelopeOf = (payload: string): string =>
  '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"' +
  ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body>${payload}</soap:Body></soap:Envelope>`;

// The services. Each is a process of its own.

/**
 * Answers the messages of the process that measures, and ends with it. The first message is sent without a question.
 */
function answer<Q>(first: string, reply: (question: Q) => unknown): void {
  process.on('message', async (question: Q) => process.send?.(await reply(question)));
  process.on('disconnect', () => process.exit());
  process.send?.(first);
}

/** Writes a record as an ASP.NET service does, with an unescaped CR before each LF. */
function writeRecord(index: number): string {
  const fields = Object.entries(recordAt(index)).map(([name, value]) =>
    value === '' ? `<${name} />` : `<${name}>${escapeText(String(value).replaceAll('\n', '\r\n'))}</${name}>`,
  );
  return `<ApiSelect>${fields.join('')}</ApiSelect>`;
}

function responseTo(operation: string, items: number): Buffer {
  const write = operation === 'SelectlatestByApikey' ? writeRecord : (index: number) => `<long>${idAt(index)}</long>`;
  const result = operation === 'RemainCreditByApiKey' ? idAt(0) : list(items, write).join('');
  const fields = `<${operation}Result>${result}</${operation}Result><status>200</status><statusmessage>ok</statusmessage>`;
  return Buffer.from(envelopeOf(`<${operation}Response xmlns="${NAMESPACE}">${fields}</${operation}Response>`));
}

/** Responds with prepared bytes. */
function servePreparedBytes(): void {
  const responses = new Map<string, Buffer>();
  let [awakeUntil, isAwake] = [0, false];
  // Polls for the next request without sleeping, for 20 ms after each request. The system charges the work of waking
  // the server to the client, and on a virtual machine this work costs more than a small call.
  const poll = (): void => {
    isAwake = performance.now() < awakeUntil;
    if (isAwake) setImmediate(poll);
  };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    awakeUntil = performance.now() + 20;
    if (!isAwake) poll();
    // Each request ends with `status`, which holds the number of items in the response, and the operation's end tag.
    const tail = body.subarray(-600).toString('latin1');
    const operation = /<\/(?:[\w-]+:)?(\w+ByApi[kK]ey)>/.exec(tail)?.[1] as string;
    const items = Number(/status[^>]*>(\d+)</.exec(tail)?.[1]);
    const bytes = responses.get(`${operation} ${items}`) ?? responseTo(operation, items);
    responses.set(`${operation} ${items}`, bytes);
    response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8', 'content-length': bytes.length }).end(bytes);
  });
  server.listen(0, '127.0.0.1', () => answer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => 0));
}

/** Starts the sandbox of a built package. It answers each message with its CPU time in microseconds. */
async function serveSandbox(folder: string): Promise<void> {
  const { startSandbox } = require(join(folder, 'dist/src/sandbox/index.js')) as typeof import('../src/sandbox');
  const { baseUrl } = await startSandbox({ apiKey: API_KEY, namespace: NAMESPACE });
  answer(baseUrl, () => cpuTime());
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

// The clients. Each is a process of its own.

/** Prepares a call of an operation, outside the measurement. */
type Client = (operation: Operation, items: number) => () => Promise<unknown>;

/** This package, or an earlier commit of it, from the folder in which it was built. */
function packageClient(url: string, folder: string): Client {
  const { MessagingClient } = require(join(folder, 'dist/src/index.js')) as typeof import('../src');
  const required = { baseUrl: url, namespace: NAMESPACE, apiKey: API_KEY, successStatuses: [200] };
  const client = new MessagingClient({ ...required, maxConnections: 16 });
  return (operation, items) => {
    const request = requestOf(operation, items) as never;
    if (operation === 'SelectlatestByApikey') return () => client.selectLatest(request);
    return operation === 'SendSimpleByApikey' ? () => client.sendSimple(request) : () => client.sendArray(request);
  };
}

const elementOf = (items: readonly unknown[]): string => (typeof items[0] === 'number' ? 'int' : 'string');

/** node-soap as its README shows it. */
async function nodeSoapClient(url: string): Promise<Client> {
  const { createClientAsync } = await import('soap');
  const client = await createClientAsync(join(process.cwd(), 'wsdl/messaging.v1.wsdl'), {}, url + PATH);
  return (operation, items) => {
    const fields = Object.entries(requestOf(operation, items)).map(([name, value]) => [
      name,
      Array.isArray(value) ? { [elementOf(value)]: value } : value,
    ]);
    const request = { apikey: API_KEY, ...Object.fromEntries(fields), statusmessage: '' };
    return async () => {
      const [response] = await client[`${operation}Async`](request);
      return Object.values(response[`${operation}Result`])[0];
    };
  };
}

/**
 * undici's bare dispatch with string templates and regular expressions: the least that a call costs on Node. It checks
 * nothing, and reads only the spelling of the server's responses.
 */
async function undiciClient(url: string, connections: number): Promise<Client> {
  const { Pool } = await import('undici');
  const pool = new Pool(url, { connections, pipelining: 1 });
  const post = (operation: Operation, fields: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const body = envelopeOf(
        `<${operation} xmlns="${NAMESPACE}"><apikey>${API_KEY}</apikey>${fields}<statusmessage></statusmessage></${operation}>`,
      );
      const headers = ['Content-Type', 'text/xml; charset=utf-8', 'SOAPAction', `"${NAMESPACE}${operation}"`];
      // The handler interface that undici uses inside. Its newer interface is an adapter around this one.
      pool.dispatch(
        { path: PATH, method: 'POST', headers, body },
        {
          onConnect() {},
          onHeaders(status) {
            if (status !== 200) throw new Error(`HTTP status ${status}`);
            return true;
          },
          onData: (chunk) => chunks.push(chunk) > 0,
          onComplete: () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()),
          onError: reject,
        },
      );
    });
  return (operation, items) => {
    const request = Object.entries(requestOf(operation, items));
    const read = operation === 'SelectlatestByApikey' ? readRecords : readLongs;
    return async () =>
      read(await post(operation, request.map(([name, value]) => `<${name}>${writeValue(value)}</${name}>`).join('')));
  };
}

function writeValue(value: Field): string {
  if (!Array.isArray(value)) return escapeText(String(value));
  const element = elementOf(value);
  const texts = element === 'string' ? (value as string[]).map(escapeText) : value;
  return `<${element}>${texts.join(`</${element}><${element}>`)}</${element}>`;
}

const REFERENCES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '\r\n': '\n' };
const readText = (text: string): string =>
  /[&\r]/.test(text) ? text.replace(/&amp;|&lt;|&gt;|\r\n/g, (found) => REFERENCES[found] as string) : text;

const readLongs = (response: string): bigint[] =>
  Array.from(response.matchAll(/<long>([^<]*)<\/long>/g), ([, digits]) => BigInt(digits as string));

function readRecords(response: string): unknown[] {
  const records: unknown[] = [];
  const pattern =
    /<ApiSelect><messageid>([^<]*)<\/messageid>(?:<message>([^<]*)<\/message>|<message( )\/>)?<status>([^<]*)<\/status><statustext>([^<]*)<\/statustext><sender>([^<]*)<\/sender><receptor>([^<]*)<\/receptor><date>([^<]*)<\/date><cost>([^<]*)<\/cost><\/ApiSelect>/g;
  for (let found = pattern.exec(response); found; found = pattern.exec(response)) {
    const [, id, text, empty, status, statustext, sender, receptor, date, cost] = found as unknown as string[];
    const messageid = BigInt(id as string);
    const numbers = { date: BigInt(date as string), status: Number(status), cost: Number(cost) };
    const message = text === undefined ? empty && '' : readText(text);
    if (message === undefined) records.push({ messageid, statustext, sender, receptor, ...numbers });
    else records.push({ messageid, message, statustext, sender, receptor, ...numbers });
  }
  return records;
}

/** A run of calls, which lasts at least this time, and makes at least one call. */
interface Run {
  readonly operation: Operation;
  readonly items: number;
  readonly atOnce: number;
  readonly milliseconds: number;
}

/** Runs calls, and measures the CPU time of a call in microseconds, its time in milliseconds, and the memory in MiB. */
async function measureRun(client: Client, { operation, items, atOnce, milliseconds }: Run) {
  const call = client(operation, items);
  const durations: number[] = [];
  let result: unknown;
  const [begin, cpuBefore] = [performance.now(), cpuTime()];
  const loop = async (): Promise<void> => {
    for (let start = begin, end = begin; end <= begin + milliseconds; start = end) {
      // The result of the previous call becomes garbage here, as in a program that no longer needs it.
      result = undefined;
      result = await call();
      end = performance.now();
      durations.push(end - start);
    }
  };
  await Promise.all(list(atOnce, loop));
  const [cpu, time, calls] = [cpuTime() - cpuBefore, performance.now() - begin, durations.length];
  const expected: (index: number) => unknown = operation === 'SelectlatestByApikey' ? recordAt : idAt;
  return {
    cpu: cpu / calls,
    calls,
    callsPerSecond: (1000 * calls) / time,
    p99: durations.sort((left, right) => left - right)[Math.ceil(calls * 0.99) - 1] as number,
    // maxRSS of a child includes the peak of its parent.
    peak: Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) / 1024,
    /** True when the client read every digit and every character. */
    isRight: Array.isArray(result) && isDeepStrictEqual(result, list(items, expected)),
  };
}
type RunResult = Awaited<ReturnType<typeof measureRun>>;

/** Starts a client by its name, or that of a package by its folder. */
async function serveClient(client: string, url: string, connections = '16'): Promise<void> {
  const clients = { undici: () => undiciClient(url, Number(connections)), 'node-soap': () => nodeSoapClient(url) };
  const started = await (clients[client as keyof typeof clients]?.() ?? packageClient(url, client));
  answer('ready', (run: Run) => measureRun(started, run));
}

// The process that measures.

/** A client in the comparison. Only that of a package has the folder in which it was built. */
interface Peer {
  readonly name: string;
  readonly folder?: string;
}

interface Bench {
  readonly plan: typeof FULL;
  readonly peers: readonly Peer[];
  /** The address of the server with prepared bytes. */
  readonly url: string;
}

const ROLES = { serveClient, servePreparedBytes, serveSandbox };

/** The bundle of this file, which runs in processes of its own without the compiler. */
let program = '';

/** Starts a process that ends with this process. Returns its first message as well. */
async function start(role: keyof typeof ROLES, ...args: string[]): Promise<[ChildProcess, string]> {
  const child = fork(program, [role, ...args], { cwd: ROOT });
  // The process has printed the error.
  child.once('exit', (status) => status && process.exit(1));
  return [child, (await once(child, 'message'))[0]];
}

async function ask<T>(child: ChildProcess, question: object): Promise<T> {
  const response = once(child, 'message');
  child.send(question);
  return (await response)[0] as T;
}

/** The values of each round, by the title of the row and the name of the peer. */
const table: Record<string, Record<string, number[]>> = {};
/** The peers that read wrong results. */
const wrong = new Set<string>();

/** Lets the peers take turns. `measure` returns the values of one peer in one round by the titles of their rows. */
async function takeTurns<T extends { readonly name: string }>(
  rounds: number,
  peers: readonly T[],
  measure: (peer: T) => Promise<Record<string, number>>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers) {
      for (const [title, value] of Object.entries(await measure(peer))) {
        const row = table[title] ?? {};
        table[title] = { ...row, [peer.name]: [...(row[peer.name] ?? []), value] };
      }
    }
  }
}

async function run(name: string, client: ChildProcess, calls: Run): Promise<RunResult> {
  const result = await ask<RunResult>(client, calls);
  if (!result.isRight) wrong.add(name);
  return result;
}

/** Measures the CPU time of calls, each client in one process. */
async function measureCalls({ plan, peers, url }: Bench, title: string, call: Omit<Run, 'milliseconds'>) {
  const clients: (Peer & { readonly client: ChildProcess })[] = [];
  for (const { name, folder = name } of peers) {
    const [client] = await start('serveClient', folder, url);
    // V8 compiles code that runs often.
    await run(name, client, { ...call, milliseconds: plan.warmUp });
    clients.push({ name, client });
  }
  await takeTurns(plan.rounds, clients, async ({ name, client }) => ({
    [`${title}, µs`]: (await run(name, client, { ...call, milliseconds: plan.milliseconds })).cpu,
  }));
  for (const { client } of clients) client.kill();
}

/** Measures a long list, in a new process each time: the peak memory of the first call, the CPU time of the second. */
async function measureList({ plan, peers, url }: Bench): Promise<void> {
  const title = `list of ${plan.records.toLocaleString('en')} records`;
  const calls: Run = { operation: 'SelectlatestByApikey', items: plan.records, atOnce: 1, milliseconds: 0 };
  await takeTurns(plan.listRounds, peers, async ({ name, folder = name }) => {
    const [client] = await start('serveClient', folder, url);
    const first = await run(name, client, calls);
    const second = await run(name, client, calls);
    client.kill();
    return { [`${title}, second call, ms`]: second.cpu / 1000, [`${title}, peak of the first call, MiB`]: first.peak };
  });
}

/** Measures the CPU time of a call on the command line, from the start of the process to its end. */
async function measureCli({ plan, peers, url }: Bench): Promise<void> {
  const settings = { MESSAGING_NAMESPACE: NAMESPACE, MESSAGING_API_KEY: API_KEY, MESSAGING_SUCCESS_STATUSES: '200' };
  const env = { PATH: process.env.PATH, MESSAGING_BASE_URL: url, ...settings };
  const measure = async ({ folder }: Peer) => {
    const args = folder ? [join(folder, 'dist/bin/messaging.js'), 'remain-credit'] : ['-e', '0'];
    const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@"';
    // With a socket as its stdin, bash would take itself for a remote shell and read .bashrc.
    const child = spawn('bash', ['-c', script, process.execPath, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [, user, system] = /^([\d.]+) ([\d.]+)\n$/.exec(stderr) ?? [];
    const isRight = stdout.trim() === (folder ? String(idAt(0)) : '');
    if (system === undefined || !isRight) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
    return { 'messaging remain-credit, ms': 1000 * (Number(user) + Number(system)) };
  };
  const commands = [...packagesOf(peers), { name: 'node -e 0' }];
  // The first calls bring the files into the caches.
  for (const command of commands) await measure(command);
  await takeTurns(plan.cliRounds, commands, measure);
}

/** Measures the sandbox of each commit, while undici's bare dispatch sends messages to it over 64 connections. */
async function measureSandbox({ plan, peers }: Bench): Promise<void> {
  const load: Run = { operation: 'SendSimpleByApikey', items: 1, atOnce: 64, milliseconds: 5 * plan.milliseconds };
  const sandboxes: (Peer & { readonly sandbox: ChildProcess; readonly client: ChildProcess })[] = [];
  for (const { name, folder } of packagesOf(peers)) {
    const [sandbox, url] = await start('serveSandbox', folder);
    const [client] = await start('serveClient', 'undici', url, '64');
    await ask(client, { ...load, milliseconds: plan.warmUp });
    sandboxes.push({ name, sandbox, client });
  }
  await takeTurns(plan.rounds, sandboxes, async ({ sandbox, client }) => {
    const before = await ask<number>(sandbox, {});
    const { calls, callsPerSecond, p99 } = await ask<RunResult>(client, load);
    const cpu = (await ask<number>(sandbox, {})) - before;
    return {
      'sandbox, 64 connections, calls a second': callsPerSecond,
      'sandbox, 64 connections, 99th percentile, ms': p99,
      'sandbox, 64 connections, CPU time of a call, µs': cpu / calls,
    };
  });
}

const packagesOf = (peers: readonly Peer[]) =>
  peers.flatMap(({ name, folder }) => (folder === undefined ? [] : [{ name, folder }]));

const PARTS: Record<string, (bench: Bench) => Promise<void>> = {
  async small(bench) {
    const small = { operation: 'SendSimpleByApikey', items: 1 } as const;
    await measureCalls(bench, 'sendSimple, one at a time', { ...small, atOnce: 1 });
    await measureCalls(bench, 'sendSimple, 16 at once', { ...small, atOnce: 16 });
  },
  array: (bench) =>
    measureCalls(bench, 'sendArray of 1,000', { operation: 'SendArrayByApikey', items: 1000, atOnce: 1 }),
  list: measureList,
  cli: measureCli,
  sandbox: measureSandbox,
};

/** Returns the upper median, which is the median of an odd number of rounds. */
function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] as number;
}

/** Writes the median of a peer, and the median of the ratios of this package to the peer in each round. */
function formatCell({ this: own = [], ...others }: Record<string, number[]>, peer: string): string {
  const write = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 });
  if (peer === 'this') return write(median(own));
  const values = others[peer];
  if (!values) return '';
  return `${write(median(values))}, ${median(values.map((value, round) => (own[round] as number) / value)).toFixed(2)} ×`;
}

function printTable(): void {
  const names = [...new Set(Object.values(table).flatMap(Object.keys))];
  const heads = names.map((name) => (wrong.has(name) ? `(${name})` : name));
  console.log(`| CPU time or memory | ${heads.join(' | ')} |\n|---|${'--:|'.repeat(names.length)}`);
  for (const [title, row] of Object.entries(table))
    console.log(`| ${title} | ${names.map((name) => formatCell(row, name)).join(' | ')} |`);
  console.log(`
${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}. The number before × is the median of
the ratios of this package to the other client in each round. Brackets mark a client that reads wrong results.`);
}

/** Builds a commit in a git worktree, from its own sources and with its own dependencies. Returns the folder. */
function buildCommit(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-bench-'));
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder, commit], { cwd: ROOT });
  process.once('exit', () => execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: ROOT }));
  // npm ci also runs the script `prepare`, which builds the package.
  execFileSync('npm', ['ci', '--silent', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  return folder;
}

/** Bundles this file into a folder from which it finds its packages. Returns the path of the bundle. */
async function bundle(): Promise<string> {
  const { build } = await import('esbuild');
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'bench-'));
  process.once('exit', () => rmSync(outdir, { recursive: true }));
  await build({
    ...{ entryPoints: [__filename], outdir, bundle: true },
    ...{ packages: 'external', platform: 'node', target: 'node20' },
  });
  return join(outdir, 'bench.js');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean' },
      quick: { type: 'boolean' },
      earlier: { type: 'string' },
      only: { type: 'string', default: 'small,array,list,cli' },
    },
  });
  const parts = values.only.split(',');
  if (values.help) return console.log(HELP);
  const unknown = parts.find((part) => !PARTS[part]);
  if (unknown !== undefined) throw new Error(`--only ${unknown}: the parts are ${Object.keys(PARTS).join(', ')}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  program = await bundle();
  const earlier = values.earlier === undefined ? [] : [{ name: 'earlier', folder: buildCommit(values.earlier) }];
  const peers = [{ name: 'this', folder: ROOT }, ...earlier, { name: 'undici' }, { name: 'node-soap' }];
  const [, url] = await start('servePreparedBytes');
  for (const part of parts) {
    console.error(`measuring ${part}`);
    await PARTS[part]?.({ plan: values.quick ? QUICK : FULL, peers, url });
  }
  printTable();
}

const [role = '', ...args] = process.argv.slice(2);
const serve = (ROLES as Record<string, (...args: never[]) => unknown>)[role] as
  | ((...args: string[]) => unknown)
  | undefined;
Promise.resolve(serve ? serve(...args) : main()).then(
  () => {
    if (!serve) process.exit();
  },
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
