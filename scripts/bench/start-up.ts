import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Bench } from './bench';
import { program } from './candidates';
import { API_KEY, idAt, NAMESPACE } from './data';
import { type Check, median, type Results } from './measurement';

const DIST = resolve(__dirname, '../../dist');

interface Start {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** What it must print. */
  readonly output?: string;
}

/** One cold call on the command line: wall time from start to end, as someone at a terminal waits for it. */
export async function measureStartUp(bench: Bench): Promise<Results> {
  bench.log('start-up');
  const node = process.execPath;
  const cli = join(DIST, 'bin/messaging.js');
  const main = join(DIST, 'src/index.js');
  const starts: Start[] = [
    { name: 'node -e 0', command: [node, '-e', '0'] },
    {
      name: 'bare node-soap script',
      command: [...program(bench.folder, 'candidates/bare'), bench.server.url, join(bench.folder, 'messaging.wsdl')],
    },
  ];
  if (existsSync(cli))
    starts.push({ name: 'messaging remain-credit', command: [node, cli, 'remain-credit'], output: String(idAt(0)) });
  if (existsSync(main))
    starts.push({ name: 'require of the package', command: [node, '-e', `require(${JSON.stringify(main)})`] });
  const environment = {
    ...process.env,
    MESSAGING_BASE_URL: new URL(bench.server.url).origin,
    MESSAGING_NAMESPACE: NAMESPACE,
    MESSAGING_API_KEY: API_KEY,
    MESSAGING_SUCCESS_STATUSES: '200',
  };
  const taken: Record<string, number[]> = Object.fromEntries(starts.map(({ name }) => [name, []]));
  for (let round = -1; round < bench.plan.startRounds; round++) {
    for (const { name, command, output } of starts) {
      const milliseconds = run(command, environment, output);
      // The round before the first has the files read into the system's cache.
      if (round >= 0) taken[name]?.push(milliseconds);
    }
  }
  const repeated = [{ what: 'node -e 0', rounds: taken['node -e 0'] ?? [] }];
  return { checks: checksOf(taken, 'messaging remain-credit'), repeated, raw: { startUpMilliseconds: taken } };
}

function run(
  [name, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  output: string | undefined,
): number {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(name, args, { env, encoding: 'utf8' });
  const milliseconds = performance.now() - start;
  const right = output === undefined || stdout.includes(output);
  if (status !== 0 || !right) throw new Error(`${[name, ...args].join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return milliseconds;
}

function checksOf(taken: Readonly<Record<string, readonly number[]>>, ours: string): Check[] {
  const value = (name: string) => median(taken[name] ?? []);
  const own = value(ours);
  const nothing = value('node -e 0') as number;
  const bare = value('bare node-soap script') as number;
  const required = value('require of the package');
  const note = 'not built: npm run build';
  const isNode20 = process.versions.node.startsWith('20.');
  const check = (what: string, measured: number | undefined, against: string, base: number, limit: number): Check => ({
    what: measured === undefined ? what : `${what} (${measured.toFixed(0)} ms)`,
    value: measured === undefined ? undefined : measured / base,
    unit: '×',
    limit,
    against: `${against} (${base.toFixed(0)} ms)`,
    holds: measured === undefined ? undefined : measured / base <= limit,
    note: measured === undefined ? note : undefined,
  });
  const one = check('one CLI call, cold', own, 'node -e 0', nothing, 2.2);
  return [
    isNode20 ? one : { ...one, holds: undefined, note: 'a target on Node 20 only' },
    check('one CLI call, cold', own, 'a bare node-soap script', bare, 0.7),
    { ...check('require of the package', required, 'node -e 0', nothing, 0), holds: undefined, limit: Number.NaN },
  ];
}
