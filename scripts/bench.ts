import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import type { Run, RunResult } from './bench/clients';
import { API_KEY, idAt, NAMESPACE } from './bench/data';

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

/** A client in the comparison: its kind in bench/clients.ts, and the argument that this kind takes. */
interface Peer {
  readonly name: string;
  readonly kind: 'package' | 'undici' | 'node-soap';
  readonly argument: string;
}

interface Bench {
  readonly plan: typeof FULL;
  readonly peers: readonly Peer[];
  /** The address of the server with prepared bytes. */
  readonly url: string;
  /** Starts a program of scripts/bench, which ends with this process. Returns its first message as well. */
  start(program: 'clients' | 'server', ...args: string[]): Promise<[ChildProcess, string]>;
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

async function ask<T>(child: ChildProcess, question: object): Promise<T> {
  const response = once(child, 'message');
  child.send(question);
  return (await response)[0] as T;
}

async function run(name: string, client: ChildProcess, calls: Run): Promise<RunResult> {
  const result = await ask<RunResult>(client, calls);
  if (!result.isRight) wrong.add(name);
  return result;
}

/** Measures the CPU time of calls, each client in one process. */
async function measureCalls(bench: Bench, title: string, call: Omit<Run, 'milliseconds'>): Promise<void> {
  const { milliseconds, warmUp, rounds } = bench.plan;
  const clients: { readonly name: string; readonly client: ChildProcess }[] = [];
  for (const { name, kind, argument } of bench.peers) {
    const [client] = await bench.start('clients', kind, bench.url, argument);
    // V8 compiles code that runs often.
    await run(name, client, { ...call, milliseconds: warmUp });
    clients.push({ name, client });
  }
  await takeTurns(rounds, clients, async ({ name, client }) => ({
    [`${title}, µs`]: (await run(name, client, { ...call, milliseconds })).cpu,
  }));
  for (const { client } of clients) client.kill();
}

/** Measures a long list, in a new process each time: the peak memory of the first call, the CPU time of the second. */
async function measureList({ plan, peers, url, start }: Bench): Promise<void> {
  const title = `list of ${plan.records.toLocaleString('en')} records`;
  const list: Run = { operation: 'SelectlatestByApikey', items: plan.records, atOnce: 1, milliseconds: 0 };
  await takeTurns(plan.listRounds, peers, async ({ name, kind, argument }) => {
    const [client] = await start('clients', kind, url, argument);
    const first = await run(name, client, list);
    const second = await run(name, client, list);
    client.kill();
    return { [`${title}, second call, ms`]: second.cpu / 1000, [`${title}, peak of the first call, MiB`]: first.peak };
  });
}

/** Measures the CPU time of a call on the command line, from the start of the process to its end. */
async function measureCli({ plan, peers, url }: Bench): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    MESSAGING_BASE_URL: url,
    MESSAGING_NAMESPACE: NAMESPACE,
    MESSAGING_API_KEY: API_KEY,
    MESSAGING_SUCCESS_STATUSES: '200',
  };
  const measure = async ({ args, printed }: { args: string[]; printed: string }) => {
    const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@"';
    // With a socket as its stdin, bash would take itself for a remote shell and read .bashrc.
    const stdin = { stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
    const child = spawn('bash', ['-c', script, process.execPath, ...args], { env, ...stdin });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [, user, system] = /^([\d.]+) ([\d.]+)\n$/.exec(stderr) ?? [];
    if (system === undefined || stdout.trim() !== printed) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
    return { 'messaging remain-credit, ms': 1000 * (Number(user) + Number(system)) };
  };
  const commands = [
    ...packagesOf(peers).map(({ name, argument }) => ({
      name,
      args: [join(argument, 'dist/bin/messaging.js'), 'remain-credit'],
      printed: String(idAt(0)),
    })),
    { name: 'node -e 0', args: ['-e', '0'], printed: '' },
  ];
  // The first calls bring the files into the caches.
  for (const command of commands) await measure(command);
  await takeTurns(plan.cliRounds, commands, measure);
}

/** Measures the sandbox of each commit, while undici's bare dispatch sends messages to it over 64 connections. */
async function measureSandbox({ plan, peers, start }: Bench): Promise<void> {
  const load: Run = { operation: 'SendSimpleByApikey', items: 1, atOnce: 64, milliseconds: 5 * plan.milliseconds };
  const sandboxes: { readonly name: string; readonly sandbox: ChildProcess; readonly client: ChildProcess }[] = [];
  for (const { name, argument } of packagesOf(peers)) {
    const [sandbox, url] = await start('server', argument);
    const [client] = await start('clients', 'undici', url, '64');
    await ask(client, { ...load, milliseconds: plan.warmUp });
    sandboxes.push({ name, sandbox, client });
  }
  await takeTurns(plan.rounds, sandboxes, async ({ sandbox, client }) => {
    const before = await ask<NodeJS.CpuUsage>(sandbox, {});
    const { calls, callsPerSecond, p99 } = await ask<RunResult>(client, load);
    const after = await ask<NodeJS.CpuUsage>(sandbox, {});
    return {
      'sandbox, 64 connections, calls a second': callsPerSecond,
      'sandbox, 64 connections, 99th percentile, ms': p99,
      'sandbox, 64 connections, CPU time of a call, µs':
        (after.user + after.system - before.user - before.system) / calls,
    };
  });
}

const packagesOf = (peers: readonly Peer[]): Peer[] => peers.filter(({ kind }) => kind === 'package');

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
  for (const [title, row] of Object.entries(table)) {
    console.log(`| ${title} | ${names.map((name) => formatCell(row, name)).join(' | ')} |`);
  }
  console.log(
    `\n${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}. The number before × is the median of`,
  );
  console.log(
    'the ratios of this package to the other client in each round. Brackets mark a client that reads wrong results.',
  );
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

  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  // The programs find packages from this folder.
  const outdir = mkdtempSync(join(cache, 'bench-'));
  process.once('exit', () => rmSync(outdir, { recursive: true }));
  const entryPoints = ['clients', 'server'].map((name) => join(__dirname, `bench/${name}.ts`));
  await build({ entryPoints, outdir, bundle: true, packages: 'external', platform: 'node', target: 'node20' });
  const start: Bench['start'] = async (program, ...args) => {
    const child = fork(join(outdir, `${program}.js`), args);
    // The program has printed the error.
    child.once('exit', (status) => status && process.exit(1));
    return [child, (await once(child, 'message'))[0]];
  };

  const earlier = values.earlier === undefined ? undefined : buildCommit(values.earlier);
  const peers: readonly Peer[] = [
    { name: 'this', kind: 'package', argument: ROOT },
    ...(earlier ? [{ name: 'earlier', kind: 'package', argument: earlier } as const] : []),
    { name: 'undici', kind: 'undici', argument: '16' },
    { name: 'node-soap', kind: 'node-soap', argument: join(ROOT, 'wsdl/messaging.v1.wsdl') },
  ];
  const [, url] = await start('server');
  for (const part of parts) {
    console.error(`measuring ${part}`);
    await PARTS[part]?.({ plan: values.quick ? QUICK : FULL, peers, url, start });
  }
  printTable();
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
