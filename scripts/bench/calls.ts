import type { Bench } from './bench';
import type { Client, ClientId } from './clients';
import { findWrongResult } from './comparison';
import type { Workload } from './data';
import { LineProcess } from './processes';
import { type Cell, type Results, type Row, rowTargets } from './results';

type Limits = Partial<Record<ClientId, number>>;

interface CallRow {
  readonly title: string;
  readonly workload: Workload;
  readonly items: number;
  readonly concurrency: number;
  readonly limits: Limits;
}

const SMALL: readonly CallRow[] = [
  {
    title: 'small call, 1 at a time',
    workload: 'sendSimple',
    items: 1,
    concurrency: 1,
    limits: { earlier: 1.05, undici: 1.7, 'node-soap': 0.15 },
  },
  {
    title: 'small call, 16 at once',
    workload: 'sendSimple',
    items: 1,
    concurrency: 16,
    limits: { earlier: 1.05, undici: 1.7, gsoap: 2, 'node-soap': 0.15 },
  },
];

const ARRAY: readonly CallRow[] = [
  {
    title: 'sendArray of 1,000',
    workload: 'sendArray',
    items: 1000,
    concurrency: 1,
    limits: { earlier: 1.05, undici: 1, php: 0.6, 'node-soap': 0.18 },
  },
];

const LIST_LIMITS: Limits = { earlier: 1.05, undici: 1.1, php: 0.65, 'node-soap': 0.15 };
const MEMORY_LIMITS: Limits = { earlier: 1.05, 'node-soap': 0.6 };

/** Measures the CPU time of small calls, one at a time and 16 at once. */
export const measureSmall = (bench: Bench): Promise<Results> => measureCalls(bench, SMALL);

/** Measures the CPU time of a call that sends a thousand messages. */
export const measureArray = (bench: Bench): Promise<Results> => measureCalls(bench, ARRAY);

async function measureCalls(bench: Bench, callRows: readonly CallRow[]): Promise<Results> {
  const running = await Promise.all(bench.clients.map((client) => RunningClient.start(client)));
  const rows: Row[] = [];
  for (const { title, workload, items, concurrency, limits } of callRows) {
    bench.log(title);
    const { rounds, milliseconds, warmUp } = bench.plan.calls;
    // PHP makes one call at a time.
    const able = running.filter(({ client }) => client.id !== 'php' || concurrency === 1);
    const cells = new Map<RunningClient, { rounds: number[]; wrong: string | undefined }>();
    for (const each of able) {
      await each.run(workload, items);
      cells.set(each, { rounds: [], wrong: await each.findWrong(bench, workload, items) });
      await each.warmUp(workload, items, concurrency, warmUp);
    }
    for (let round = 0; round < rounds; round++) {
      for (const [each, cell] of cells) {
        cell.rounds.push((await each.run(workload, items, { concurrency, milliseconds })).cpuPerCall);
      }
    }
    const byId = Object.fromEntries(Array.from(cells, ([{ client }, cell]) => [client.id, cell]));
    rows.push({ title, unit: 'µs', cells: byId, limits });
  }
  await Promise.all(running.map((each) => each.stop()));
  return { rows, targets: rows.flatMap(rowTargets) };
}

/** Measures the longest list in new processes: the peak memory of the first call, and the CPU time of the second. */
export async function measureList(bench: Bench): Promise<Results> {
  const { records, rounds } = bench.plan.list;
  const title = `list of ${records.toLocaleString('en')}`;
  const memory: Partial<Record<ClientId, Cell>> = {};
  const cpu: Partial<Record<ClientId, Cell>> = {};
  // The results are compared in processes of their own, because the comparison would show in the measurements.
  for (const client of bench.clients) {
    bench.log(`${title}, the result of ${client.id}`);
    const running = await RunningClient.start(client);
    await running.run('selectLatest', records);
    const wrong = await running.findWrong(bench, 'selectLatest', records);
    await running.stop();
    memory[client.id] = { rounds: [], wrong };
    cpu[client.id] = { rounds: [], wrong };
  }
  for (let round = 0; round < rounds; round++) {
    bench.log(`${title}, round ${round + 1}`);
    for (const client of bench.clients) {
      const running = await RunningClient.start(client);
      const first = await running.run('selectLatest', records);
      const second = await running.run('selectLatest', records);
      await running.stop();
      addRound(memory, client.id, first.peakMemory);
      addRound(cpu, client.id, second.cpuPerCall / 1000);
    }
  }
  const rows: Row[] = [
    { title: `${title}, second call`, unit: 'ms', cells: cpu, limits: LIST_LIMITS },
    { title: `${title}, first call's peak`, unit: 'MiB', cells: memory, limits: MEMORY_LIMITS },
  ];
  // The limits are about lists that are long enough for start-up not to count.
  return { rows, targets: bench.plan.isQuick ? [] : rows.flatMap(rowTargets) };
}

function addRound(cells: Partial<Record<ClientId, Cell>>, id: ClientId, value: number): void {
  const { rounds, wrong } = cells[id] as Cell;
  cells[id] = { rounds: [...rounds, value], wrong };
}

/** The number of items that are sent between two looks at the CPU time of a warm-up. */
const WARM_UP_STEP = 200;

/** A client in a process of its own. */
class RunningClient {
  readonly client: Client;
  readonly #process: LineProcess;

  private constructor(client: Client) {
    this.client = client;
    this.#process = new LineProcess(client.id, client.command);
  }

  static async start(client: Client): Promise<RunningClient> {
    const running = new RunningClient(client);
    await running.#process.line();
    return running;
  }

  /** Makes calls. Returns the CPU time of a call in microseconds, and the peak memory so far in MiB. */
  async run(
    workload: Workload,
    items: number,
    { concurrency = 1, calls = 1, milliseconds = 0 } = {},
  ): Promise<{ readonly cpuPerCall: number; readonly peakMemory: number }> {
    const response = await this.#process.ask(`run ${workload} ${items} ${concurrency} ${calls} ${milliseconds}`);
    const [done = 0, cpu = 0, peak = 0] = response.split(' ').map(Number);
    return { cpuPerCall: cpu / done, peakMemory: peak / 1024 };
  }

  /** Makes calls until they have used this CPU time, in milliseconds. V8 compiles code that runs often. */
  async warmUp(workload: Workload, items: number, concurrency: number, milliseconds: number): Promise<void> {
    if (this.client.id === 'gsoap' || this.client.id === 'php') return;
    for (let used = 0; used < milliseconds * 1000; ) {
      const calls = Math.max(concurrency, Math.ceil(WARM_UP_STEP / items));
      const { cpuPerCall } = await this.run(workload, items, { concurrency, calls });
      used += cpuPerCall * calls;
    }
  }

  /** Describes how the last call's result differs from the expected result; undefined for an equal result. */
  findWrong({ folder }: Bench, workload: Workload, items: number): Promise<string | undefined> {
    return findWrongResult(this.#process, workload, items, folder);
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
