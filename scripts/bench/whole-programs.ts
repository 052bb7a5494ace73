import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './bench';
import { program, ROOT } from './clients';
import { API_KEY, NAMESPACE } from './data';
import { LineProcess } from './processes';
import { median, type Results, ratioTarget, type Target } from './results';

/** Runs a program of this bench that prints one line of JSON. */
async function resultOf<T>(folder: string, name: string, ...args: readonly (string | number)[]): Promise<T> {
  const child = new LineProcess(name, [...program(folder, name), ...args.map(String)]);
  const line = await child.line();
  await child.stop();
  return JSON.parse(line) as T;
}

const STREAMED = 1_000_000;

/** Measures how much memory a stream of a million records needs. */
export async function measureStream({ folder, url, plan, log }: Bench): Promise<Results> {
  const targets: Target[] = [];
  for (const version of plan.isQuick ? ['1.1'] : ['1.1', '1.2']) {
    log(`a stream of ${STREAMED.toLocaleString('en')} records, SOAP ${version}`);
    // Memory in MiB, after each 10,000 records.
    const { count, wrong, memory } = await resultOf<{ count: number; wrong: number; memory: [number, ...number[]] }>(
      folder,
      'stream',
      ROOT,
      url,
      version,
      STREAMED,
    );
    if (count !== STREAMED || wrong > 0) throw new Error(`${count} records were streamed, ${wrong} of them wrong`);
    const [first, ...later] = memory;
    const value = Math.max(...later) - first;
    targets.push({
      what: `stream of ${STREAMED.toLocaleString('en')} records, ${version}: memory above that after 10,000 records (${first.toFixed(0)} MiB)`,
      value,
      unit: 'MiB',
      bound: ['at most', 64],
      holds: value <= 64,
    });
  }
  return { targets };
}

const CALLS_PER_SECOND = 5000;

/** Measures the sandbox under a mixed load of all ten operations in both SOAP versions. The load uses the same cores. */
export async function measureSandbox({ folder, plan, log }: Bench): Promise<Results> {
  const { rounds, milliseconds } = plan.sandbox;
  const rates: number[] = [];
  const options = JSON.stringify({ apiKey: API_KEY, namespace: NAMESPACE });
  const start = `require(${JSON.stringify(join(ROOT, 'dist/src/sandbox'))}).startSandbox(${options}).then(({ baseUrl }) => console.log(baseUrl))`;
  for (let round = 0; round < rounds; round++) {
    log(`sandbox under load, round ${round + 1}`);
    const sandbox = new LineProcess('the sandbox', [process.execPath, '-e', start]);
    rates.push(await resultOf<number>(folder, 'sandbox-load', await sandbox.line(), milliseconds));
    await sandbox.stop();
  }
  const value = median(rates);
  const bound = ['at least', CALLS_PER_SECOND] as const;
  return {
    targets: [{ what: 'sandbox, mixed load', value, unit: 'calls/s', bound, holds: value >= CALLS_PER_SECOND }],
  };
}

/** The largest ratio of a row's time with a sync to its time without, by the number of requests at once. */
const SYNC_LIMITS = { 16: 1.7, 64: 1.1 } as const;

/** Measures bulk with one row in a request: beside bare calls, and with a journal on disk beside a journal in memory. */
export async function measureBulk({ folder, url, plan, log }: Bench): Promise<Results> {
  log('bulk');
  const disk = join(folder, 'journals');
  mkdirSync(disk);
  // Linux has a file system in memory there, where a sync costs nothing.
  const memory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'messaging-bench-'));
  process.once('exit', () => rmSync(memory, { recursive: true, force: true }));
  type Times = Record<string, { readonly wall: number[]; readonly cpu: number[] }>;
  const times = await resultOf<Times>(folder, 'bulk', ROOT, url, disk, memory, plan.bulk.rounds, plan.bulk.rows);
  const targets = ([16, 64] as const).flatMap((concurrency) => {
    const of = (way: string, kind: 'wall' | 'cpu') => times[`${way} ${concurrency}`]?.[kind] ?? [];
    const title = `bulk, ${concurrency} at once`;
    const bare = { name: 'a bare call', rounds: of('bare', 'cpu') };
    const unsynced = { name: 'a journal in memory', rounds: of('memory', 'wall') };
    return [
      ratioTarget(`${title}, CPU time of a row`, of('disk', 'cpu'), bare),
      ratioTarget(`${title}, time of a row`, of('disk', 'wall'), unsynced, SYNC_LIMITS[concurrency]),
    ];
  });
  return { targets };
}
