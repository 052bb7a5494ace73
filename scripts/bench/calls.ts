import { type Bench, cellsOf, participants, RunningContender } from './bench';
import { CONTENDERS, type ContenderId, OURS } from './contenders';
import type { Workload } from './data';
import { type Cell, type Check, type Findings, type Row, ratioCheck } from './findings';

interface CallRow {
  readonly id: string;
  readonly title: string;
  readonly workload: Workload;
  readonly items: number;
  readonly concurrency: number;
  readonly limits: Partial<Record<ContenderId, number>>;
}

const SMALL: readonly CallRow[] = [
  {
    id: 'small-1',
    title: 'small call, 1 at a time',
    workload: 'sendSimple',
    items: 1,
    concurrency: 1,
    limits: { floor: 1.3, 'node-soap': 0.1 },
  },
  {
    id: 'small-16',
    title: 'small call, 16 at once',
    workload: 'sendSimple',
    items: 1,
    concurrency: 16,
    limits: { floor: 1.3, 'node-soap': 0.1, gsoap: 1.4 },
  },
];

const ARRAY: readonly CallRow[] = [
  {
    id: 'array',
    title: 'sendArray of 1,000',
    workload: 'sendArray',
    items: 1000,
    concurrency: 1,
    limits: { floor: 1, 'node-soap': 0.18, php: 0.6 },
  },
];

/** Small calls, one at a time and 16 at once. */
export const measureSmall = (bench: Bench): Promise<Findings> => measure(bench, SMALL);

/** A thousand messages in one call. */
export const measureArray = (bench: Bench): Promise<Findings> => measure(bench, ARRAY);

async function measure(bench: Bench, rows: readonly CallRow[]): Promise<Findings> {
  const running = await Promise.all(participants(bench).map((contender) => RunningContender.start(contender)));
  const measured: Row[] = [];
  const checks: Check[] = [];
  for (const row of rows) {
    bench.tell(row.title);
    const cells = await measureRow(bench, running, row);
    measured.push({ id: row.id, title: row.title, unit: 'µs', cells });
    checks.push(...checksOf(row.title, cells, row.limits));
  }
  await Promise.all(running.map((each) => each.stop()));
  return { rows: measured, checks };
}

async function measureRow(
  bench: Bench,
  running: readonly RunningContender[],
  { workload, items, concurrency }: CallRow,
): Promise<Partial<Record<ContenderId, Cell>>> {
  const { rounds, milliseconds, warmUp } = bench.plan.calls;
  const able = running.filter(({ contender }) => contender.concurrent || concurrency === 1);
  const disqualified = new Map<ContenderId, string>();
  for (const each of able) {
    await each.run(workload, items);
    const wrong = await each.compare(bench, workload, items);
    if (wrong) disqualified.set(each.id, wrong);
    if (each.contender.warmsUp) await each.warmUp(workload, items, concurrency, warmUp);
  }
  const taken = new Map<ContenderId, number[]>(able.map(({ id }) => [id, []]));
  for (let round = 0; round < rounds; round++) {
    for (const each of able) {
      const { cpuPerCall } = await each.run(workload, items, { concurrency, milliseconds });
      taken.get(each.id)?.push(cpuPerCall);
    }
  }
  return cellsOf(bench, taken, disqualified);
}

/** This package's medians, in both SOAP versions, in proportion to the others'. */
export function checksOf(
  title: string,
  cells: Partial<Record<ContenderId, Cell>>,
  limits: Partial<Record<ContenderId, number>>,
): Check[] {
  return Object.entries(limits).flatMap(([peer, limit]) =>
    OURS.map((own) => {
      const id = peer as ContenderId;
      const against = { name: CONTENDERS[id], value: cells[id]?.value, note: cells[id]?.note };
      return ratioCheck(`${title}, ${own.slice(-3)}`, cells[own]?.value, against, limit);
    }),
  );
}
