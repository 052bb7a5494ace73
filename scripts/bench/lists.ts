import { type Bench, cellsOf, ownCandidates, participants, RunningCandidate } from './bench';
import { SERIALIZATIONS } from './bodies';
import { checksOf } from './calls';
import type { Candidate, CandidateId } from './candidates';
import { type Cell, type Check, type Repeated, type Results, type Row, ratioCheck } from './measurement';

const SIZES = [20_000, 200_000] as const;
type Size = (typeof SIZES)[number];

const CPU_LIMITS: Partial<Record<CandidateId, number>> = { baseline: 1.1, 'node-soap': 0.15, php: 0.65 };
const MEMORY_LIMITS: Partial<Record<CandidateId, number>> = { 'node-soap': 0.6 };

/** Lists: the memory of a process's first call, and the CPU of its second. */
export async function measureLists(bench: Bench): Promise<Results> {
  const rows: Row[] = [];
  const checks: Check[] = [];
  const disqualified = new Map<CandidateId, string>();
  for (const size of SIZES) {
    if (bench.plan.listRounds[size] === 0) continue;
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

type Cells = Partial<Record<CandidateId, Cell>>;

async function measureSize(
  bench: Bench,
  size: Size,
  title: string,
  disqualified: Map<CandidateId, string>,
): Promise<{ readonly cpu: Cells; readonly memory: Cells }> {
  const candidates = participants(bench);
  bench.log(`${title}, comparing`);
  await compare(bench, candidates, size, disqualified);
  const cpu = new Map<CandidateId, number[]>(candidates.map(({ id }) => [id, []]));
  const memory = new Map<CandidateId, number[]>(candidates.map(({ id }) => [id, []]));
  for (let round = 0; round < bench.plan.listRounds[size]; round++) {
    bench.log(`${title}, round ${round + 1}`);
    for (const candidate of candidates) {
      const running = await RunningCandidate.start(candidate);
      const first = await running.run('latest', size);
      const second = await running.run('latest', size);
      await running.stop();
      memory.get(candidate.id)?.push(first.peakMemory);
      cpu.get(candidate.id)?.push(second.cpuPerCall / 1000);
    }
  }
  return { cpu: cellsOf(bench, cpu, disqualified), memory: cellsOf(bench, memory, disqualified) };
}

/** In processes of their own, since comparing is work that would show in what is measured. */
async function compare(
  bench: Bench,
  candidates: readonly Candidate[],
  size: Size,
  disqualified: Map<CandidateId, string>,
): Promise<void> {
  for (const candidate of candidates) {
    const running = await RunningCandidate.start(candidate);
    await running.run('latest', size);
    const wrong = await running.compare(bench, 'latest', size);
    if (wrong) disqualified.set(candidate.id, wrong);
    await running.stop();
  }
}

/** The same list in other legal serializations, in proportion to the one that the fast reader reads. */
export async function measureSerializations(bench: Bench): Promise<Results> {
  const records = bench.plan.serializedRecords;
  bench.log(`serializations of a list of ${records.toLocaleString('en')}`);
  const raw: Record<string, Record<string, number[]>> = {};
  const checks: Check[] = [];
  const repeated: Repeated[] = [];
  for (const candidate of ownCandidates(bench)) {
    const running = await RunningCandidate.start(candidate);
    const taken = Object.fromEntries(SERIALIZATIONS.map((name) => [name, [] as number[]]));
    const wrong: Record<string, string | undefined> = {};
    for (const name of SERIALIZATIONS) {
      await running.useSerialization(name);
      await running.run('latest', records);
      wrong[name] = await running.compare(bench, 'latest', records);
    }
    for (let round = 0; round <= bench.plan.ownRounds; round++) {
      for (const name of SERIALIZATIONS) {
        await running.useSerialization(name);
        const { cpuPerCall } = await running.run('latest', records);
        if (round > 0) taken[name]?.push(cpuPerCall);
      }
    }
    await running.stop();
    raw[candidate.id] = taken;
    const fast = { name: "the fast reader's serialization", rounds: taken.fast ?? [] };
    repeated.push({ what: `${fast.name}, ${candidate.id.slice(-3)}`, rounds: fast.rounds });
    for (const name of SERIALIZATIONS.slice(1)) {
      const limit = name === 'references' ? 10 : 5;
      const title = `serialization with ${name}, ${candidate.id.slice(-3)}`;
      const check = ratioCheck(title, taken[name] ?? [], fast, limit);
      const problem = wrong[name] ?? wrong.fast;
      checks.push(problem ? { ...check, holds: false, note: problem } : check);
    }
  }
  return { checks, repeated, raw: { serializations: { records, cpuMicroseconds: raw } } };
}
