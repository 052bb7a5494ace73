import { type Candidate, type CandidateId, OURS } from './candidates';
import { compareAnswer, compareRequest } from './comparison';
import type { Workload } from './data';
import { type Cell, median } from './measurement';
import { LineProcess } from './processes';
import type { BenchServer } from './service';

/** How long and how often things are measured. */
export interface Plan {
  readonly quick: boolean;
  /** A quick run has no rounds of the longest list. */
  readonly listRounds: Readonly<Record<20_000 | 200_000, number>>;
  /** Rounds of calls, the milliseconds of each, and the milliseconds of CPU that it takes to warm up before. */
  readonly calls: { readonly rounds: number; readonly milliseconds: number; readonly warmUp: number };
  /** Rounds of whatever is measured of this package alone, without the first, which warms up. */
  readonly ownRounds: number;
  /** Records of the list that is read in each serialization. */
  readonly serializedRecords: number;
  /** Records of the longest list whose growth is measured. */
  readonly longestGrownList: number;
  readonly startRounds: number;
  readonly sandbox: { readonly rounds: number; readonly milliseconds: number };
  /** Rounds, and the rows of each, one a batch. */
  readonly bulk: { readonly rounds: number; readonly batches: number };
}

export const FULL: Plan = {
  quick: false,
  calls: { rounds: 9, milliseconds: 300, warmUp: 3000 },
  listRounds: { 20000: 3, 200000: 3 },
  ownRounds: 9,
  serializedRecords: 20_000,
  longestGrownList: 200_000,
  startRounds: 15,
  sandbox: { rounds: 3, milliseconds: 3000 },
  bulk: { rounds: 5, batches: 2000 },
};

export const QUICK: Plan = {
  quick: true,
  calls: { rounds: 5, milliseconds: 60, warmUp: 2000 },
  listRounds: { 20000: 1, 200000: 0 },
  ownRounds: 2,
  serializedRecords: 5000,
  longestGrownList: 50_000,
  startRounds: 3,
  sandbox: { rounds: 1, milliseconds: 1000 },
  bulk: { rounds: 2, batches: 500 },
};

/** What every part of the bench works with. */
export interface Bench {
  readonly plan: Plan;
  /** For compiled programs and whatever else is made; it is removed in the end. */
  readonly folder: string;
  readonly server: BenchServer;
  readonly candidates: readonly Candidate[];
  /** Says what is going on. */
  readonly log: (what: string) => void;
}

/** What is measured of this package alone: both SOAP versions, or the first in a quick run. */
export function ownCandidates({ plan, candidates }: Bench): Candidate[] {
  const ids: readonly CandidateId[] = plan.quick ? OURS.slice(0, 1) : OURS;
  return candidates.filter(({ id }) => ids.includes(id));
}

/** What a `run` of a candidate took. */
export interface Run {
  /** In microseconds. */
  readonly cpuPerCall: number;
  /** In MiB. */
  readonly peakMemory: number;
}

/** A quick run measures no more peers than targets are about. */
const QUICK_PEERS: readonly CandidateId[] = [...OURS, 'baseline', 'gsoap', 'php', 'node-soap'];

/** Why a candidate does not take part; undefined when it does. */
function absenceOf({ plan }: Bench, { id, command }: Candidate): string | undefined {
  if (!command) return 'not installed';
  return plan.quick && !QUICK_PEERS.includes(id) ? 'not in a quick run' : undefined;
}

/** Those that take part. */
export function participants(bench: Bench): Candidate[] {
  return bench.candidates.filter((candidate) => absenceOf(bench, candidate) === undefined);
}

/** A cell for each candidate: of its rounds where it has any, else with the reason. */
export function cellsOf(
  bench: Bench,
  rounds: ReadonlyMap<CandidateId, readonly number[]>,
  disqualified: ReadonlyMap<CandidateId, string>,
): Partial<Record<CandidateId, Cell>> {
  const cells: Partial<Record<CandidateId, Cell>> = {};
  for (const candidate of bench.candidates) {
    const { id } = candidate;
    const taken = rounds.get(id);
    cells[id] = taken
      ? { value: median(taken), rounds: taken, wrong: disqualified.get(id) }
      : { value: undefined, rounds: [], note: absenceOf(bench, candidate) ?? 'makes one call at a time' };
  }
  return cells;
}

/** Items that are sent between two looks at what a warm-up has spent. */
const WARM_UP_STEP = 200;

/** A candidate in a process of its own. */
export class RunningCandidate {
  readonly candidate: Candidate;
  readonly #process: LineProcess;

  private constructor(candidate: Candidate, process: LineProcess) {
    this.candidate = candidate;
    this.#process = process;
  }

  static async start(candidate: Candidate): Promise<RunningCandidate> {
    const process = new LineProcess(candidate.id, candidate.command as readonly string[]);
    await process.line();
    return new RunningCandidate(candidate, process);
  }

  get id(): CandidateId {
    return this.candidate.id;
  }

  async run(workload: Workload, items: number, { concurrency = 1, calls = 1, milliseconds = 0 } = {}): Promise<Run> {
    const answer = await this.#process.ask(`run ${workload} ${items} ${concurrency} ${calls} ${milliseconds}`);
    const [done = 0, cpu = 0, , peak = 0] = answer.split(' ').map(Number);
    return { cpuPerCall: cpu / done, peakMemory: peak / 1024 };
  }

  /** Calls until so many milliseconds of CPU are spent: wall time would warm up less on a busy machine. */
  async warmUp(workload: Workload, items: number, concurrency: number, milliseconds: number): Promise<void> {
    for (let spent = 0; spent < milliseconds * 1000; ) {
      const calls = Math.max(concurrency, Math.ceil(WARM_UP_STEP / items));
      const { cpuPerCall } = await this.run(workload, items, { concurrency, calls });
      spent += cpuPerCall * calls;
    }
  }

  async useSerialization(serialization: string): Promise<void> {
    await this.#process.ask(`serialization ${serialization}`);
  }

  /** What is wrong with the last call's answer, or with its request; undefined when nothing is. */
  async compare({ server, folder }: Bench, workload: Workload, items: number): Promise<string | undefined> {
    const answer = await compareAnswer(this.#process, workload, items, folder);
    return answer ?? (await compareRequest(server, workload, items));
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
