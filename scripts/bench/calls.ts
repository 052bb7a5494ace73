import { type Bench, cellsOf, participants, RunningCandidate } from './bench';
import { CANDIDATES, type CandidateId, OURS } from './candidates';
import type { Workload } from './data';
import { type Cell, type Check, type Repeated, type Results, type Row, ratioCheck } from './measurement';

interface CallRow {
  readonly id: string;
  readonly title: string;
  readonly workload: Workload;
  readonly items: number;
  readonly concurrency: number;
  readonly limits: Partial<Record<CandidateId, number>>;
}

const SMALL: readonly CallRow[] = [
  {
    id: 'small-1',
    title: 'small call, 1 at a time',
    workload: 'sendSimple',
    items: 1,
    concurrency: 1,
    limits: { baseline: 1.7, 'node-soap': 0.15 },
  },
  {
    id: 'small-16',
    title: 'small call, 16 at once',
    workload: 'sendSimple',
    items: 1,
    concurrency: 16,
    limits: { baseline: 1.7, 'node-soap': 0.15, gsoap: 2 },
  },
];

const ARRAY: readonly CallRow[] = [
  {
    id: 'array',
    title: 'sendArray of 1,000',
    workload: 'sendArray',
    items: 1000,
    concurrency: 1,
    limits: { baseline: 1, 'node-soap': 0.18, php: 0.6 },
  },
];

/** Small calls, one at a time and 16 at once. */
export const measureSmall = (bench: Bench): Promise<Results> => measure(bench, SMALL);

/** A thousand messages in one call. */
export const measureArray = (bench: Bench): Promise<Results> => measure(bench, ARRAY);

async function measure(bench: Bench, rows: readonly CallRow[]): Promise<Results> {
  const running = await Promise.all(participants(bench).map((candidate) => RunningCandidate.start(candidate)));
  const measured: Row[] = [];
  const repeated: Repeated[] = [];
  const checks: Check[] = [];
  for (const row of rows) {
    bench.log(row.title);
    const cells = await measureRow(bench, running, row);
    measured.push({ id: row.id, title: row.title, unit: 'µs', cells });
    checks.push(...checksOf(row.title, cells, row.limits));
    repeated.push({ what: `${CANDIDATES.baseline}, ${row.title}`, rounds: cells.baseline?.rounds ?? [] });
  }
  await Promise.all(running.map((each) => each.stop()));
  return { rows: measured, checks, repeated };
}

async function measureRow(
  bench: Bench,
  running: readonly RunningCandidate[],
  { workload, items, concurrency }: CallRow,
): Promise<Partial<Record<CandidateId, Cell>>> {
  const { rounds, milliseconds, warmUp } = bench.plan.calls;
  const able = running.filter(({ candidate }) => candidate.concurrent || concurrency === 1);
  const disqualified = new Map<CandidateId, string>();
  for (const each of able) {
    await each.run(workload, items);
    const wrong = await each.compare(bench, workload, items);
    if (wrong) disqualified.set(each.id, wrong);
    if (each.candidate.warmsUp) await each.warmUp(workload, items, concurrency, warmUp);
  }
  const taken = new Map<CandidateId, number[]>(able.map(({ id }) => [id, []]));
  for (let round = 0; round < rounds; round++) {
    for (const each of able) {
      const { cpuPerCall } = await each.run(workload, items, { concurrency, milliseconds });
      taken.get(each.id)?.push(cpuPerCall);
    }
  }
  return cellsOf(bench, taken, disqualified);
}

/** This package, in both SOAP versions, in proportion to the others. */
export function checksOf(
  title: string,
  cells: Partial<Record<CandidateId, Cell>>,
  limits: Partial<Record<CandidateId, number>>,
): Check[] {
  return Object.entries(limits).flatMap(([peer, limit]) =>
    OURS.map((own) => {
      const id = peer as CandidateId;
      const against = { name: CANDIDATES[id], rounds: cells[id]?.rounds ?? [], note: cells[id]?.note };
      return ratioCheck(`${title}, ${own.slice(-3)}`, cells[own]?.rounds ?? [], against, limit);
    }),
  );
}
