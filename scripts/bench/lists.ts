import { type Bench, cellsOf, ownContenders, participants, RunningContender } from './bench';
import { SPELLINGS } from './bodies';
import { checksOf } from './calls';
import type { Contender, ContenderId } from './contenders';
import { type Cell, type Check, type Findings, median, type Row, ratioCheck } from './findings';

const SIZES = [20_000, 200_000] as const;
type Size = (typeof SIZES)[number];

const CPU_LIMITS: Partial<Record<ContenderId, number>> = { floor: 1.1, 'node-soap': 0.15, php: 0.65 };
const MEMORY_LIMITS: Partial<Record<ContenderId, number>> = { 'node-soap': 0.6 };

/** Lists: the memory of a process's first call, and the CPU of its second. */
export async function measureLists(bench: Bench): Promise<Findings> {
  const rows: Row[] = [];
  const checks: Check[] = [];
  const disqualified = new Map<ContenderId, string>();
  for (const size of SIZES) {
    const title = `list of ${size.toLocaleString('en')}`;
    const { cpu, memory } = await measureSize(bench, size, title, disqualified);
    const cpuTitle = `${title}, second call`;
    const memoryTitle = `${title}, first call's peak`;
    rows.push({ id: `list-${size}`, title: cpuTitle, unit: 'ms', cells: cpu });
    rows.push({ id: `list-${size}-memory`, title: memoryTitle, unit: 'MiB', cells: memory });
    if (size < 200_000) continue;
    checks.push(...checksOf(cpuTitle, cpu, CPU_LIMITS), ...checksOf(memoryTitle, memory, MEMORY_LIMITS));
  }
  return { rows, checks };
}

type Cells = Partial<Record<ContenderId, Cell>>;

async function measureSize(
  bench: Bench,
  size: Size,
  title: string,
  disqualified: Map<ContenderId, string>,
): Promise<{ readonly cpu: Cells; readonly memory: Cells }> {
  const contenders = participants(bench);
  // The records of the short list are the first ones of the long list, so in a quick run the former stand for all.
  if (!bench.plan.quick || size === SIZES[0]) {
    bench.tell(`${title}, comparing`);
    await compare(bench, contenders, size, disqualified);
  }
  const cpu = new Map<ContenderId, number[]>(contenders.map(({ id }) => [id, []]));
  const memory = new Map<ContenderId, number[]>(contenders.map(({ id }) => [id, []]));
  for (let round = 0; round < bench.plan.listRounds[size]; round++) {
    bench.tell(`${title}, round ${round + 1}`);
    for (const contender of contenders) {
      const running = await RunningContender.start(contender);
      const first = await running.run('latest', size);
      const second = await running.run('latest', size);
      await running.stop();
      memory.get(contender.id)?.push(first.peakMemory);
      cpu.get(contender.id)?.push(second.cpuPerCall / 1000);
    }
  }
  return { cpu: cellsOf(bench, cpu, disqualified), memory: cellsOf(bench, memory, disqualified) };
}

/** In processes of their own, since comparing is work that would show in what is measured. */
async function compare(
  bench: Bench,
  contenders: readonly Contender[],
  size: Size,
  disqualified: Map<ContenderId, string>,
): Promise<void> {
  for (const contender of contenders) {
    const running = await RunningContender.start(contender);
    await running.run('latest', size);
    const wrong = await running.compare(bench, 'latest', size);
    if (wrong) disqualified.set(contender.id, wrong);
    await running.stop();
  }
}

const SPELLING_RECORDS = 20_000;

/** The same list in other legal spellings, in proportion to the plain one. */
export async function measureSpellings(bench: Bench): Promise<Findings> {
  bench.tell(`spellings of a list of ${SPELLING_RECORDS.toLocaleString('en')}`);
  const rounds: Record<string, Record<string, number[]>> = {};
  const checks: Check[] = [];
  for (const contender of ownContenders(bench)) {
    const running = await RunningContender.start(contender);
    const taken: Record<string, number[]> = {};
    const wrong: Record<string, string | undefined> = {};
    for (const spelling of SPELLINGS) {
      await running.useSpelling(spelling);
      await running.run('latest', SPELLING_RECORDS);
      wrong[spelling] = await running.compare(bench, 'latest', SPELLING_RECORDS);
      taken[spelling] = [];
    }
    for (let round = 0; round < bench.plan.ownRounds; round++) {
      for (const spelling of SPELLINGS) {
        await running.useSpelling(spelling);
        const { cpuPerCall } = await running.run('latest', SPELLING_RECORDS, { calls: bench.plan.quick ? 1 : 2 });
        taken[spelling]?.push(cpuPerCall);
      }
    }
    await running.stop();
    rounds[contender.id] = taken;
    const plain = { name: 'the plain spelling', value: median(taken.plain ?? []) };
    for (const spelling of SPELLINGS.slice(1)) {
      const limit = spelling === 'references' ? 10 : 5;
      const check = ratioCheck(
        `spelling: ${spelling}, ${contender.id.slice(-3)}`,
        median(taken[spelling] ?? []),
        plain,
        limit,
      );
      const problem = wrong[spelling] ?? wrong.plain;
      checks.push(problem ? { ...check, holds: false, note: problem } : check);
    }
  }
  return { checks, raw: { spellings: { records: SPELLING_RECORDS, cpuMicroseconds: rounds } } };
}
