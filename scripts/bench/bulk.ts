import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench';
import { program } from './candidates';
import { type Check, type Repeated, type Results, ratioCheck } from './measurement';
import { LineProcess } from './processes';

/** What a batch took, in microseconds, in each round. */
type Taken = Readonly<Record<string, { readonly wall: readonly number[]; readonly cpu: readonly number[] }>>;

/** What syncing cost a first trial of the same journal: the time of a batch with syncs, in proportion to one without. */
const SYNC_LIMITS = { 16: 2229 / 1305, 64: 2645 / 2503 } as const;

/** Rows that are sent one a batch, through a journal that waits for the disk or does not, beside bare calls. */
export async function measureBulk(bench: Bench): Promise<Results> {
  bench.log('bulk');
  const folder = join(bench.folder, 'bulk');
  mkdirSync(folder);
  const { rounds, batches } = bench.plan.bulk;
  const child = new LineProcess('bulk', [
    ...program(bench.folder, 'candidates/bulk'),
    bench.server.url,
    folder,
    String(rounds),
    String(batches),
  ]);
  const taken = JSON.parse(await child.line()) as Taken;
  await child.stop();
  const checks: Check[] = [];
  const repeated: Repeated[] = [];
  for (const concurrency of [16, 64] as const) {
    const of = (way: string, unit: 'wall' | 'cpu') => taken[`${way} ${concurrency}`]?.[unit] ?? [];
    const title = `bulk, ${concurrency} at once`;
    const bareCpu = { name: 'a bare call', rounds: of('bare', 'cpu') };
    const unsynced = { name: 'without sync', rounds: of('unsynced', 'wall') };
    checks.push(
      ratioCheck(`${title}, CPU of a batch without sync`, of('unsynced', 'cpu'), bareCpu, Number.NaN),
      ratioCheck(`${title}, CPU of a batch with sync`, of('synced', 'cpu'), bareCpu, Number.NaN),
      ratioCheck(`${title}, time of a batch with sync`, of('synced', 'wall'), unsynced, SYNC_LIMITS[concurrency]),
    );
    repeated.push({ what: `bare calls, ${concurrency} at once`, rounds: of('bare', 'cpu') });
  }
  return { checks, repeated, raw: { bulk: taken } };
}
