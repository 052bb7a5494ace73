/**
 * The loop of a candidate on Node. A line on stdin is a command, a line on stdout its answer:
 *
 *   run <workload> <items> <concurrency> <calls> <milliseconds>    at least so many calls and so long
 *                                             gives: <calls> <CPU µs> <wall µs> <peak memory KiB>
 *   dump <file>                               writes what the last call gave, as comparable text; gives: ok
 *   serialization <name>                           in which the server is to answer from now on; gives: ok
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { comparable, ITEM_END, type Workload } from '../data';

/** What each candidate brings. A workload prepares its request, outside the measurement, and gives the call. */
export interface Candidate extends Record<Workload, (items: number) => () => Promise<unknown>> {
  /** The items of what a call gave, for the comparison. */
  itemsOf(result: unknown, workload: Workload): Iterable<unknown>;
  useSerialization?(serialization: string): void;
}

export interface Service {
  readonly url: string;
  readonly wsdl: string;
  readonly version: '1.1' | '1.2';
}

export async function serveBench(create: (service: Service) => Candidate | Promise<Candidate>): Promise<void> {
  const [url, wsdl, version] = process.argv.slice(2) as [string, string, '1.1' | '1.2'];
  const candidate = await create({ url, wsdl, version });
  let last: { result: unknown; workload: Workload } | undefined;

  const run = async ([name, items, concurrency, calls, milliseconds]: readonly string[]): Promise<string> => {
    const workload = name as Workload;
    const call = candidate[workload](Number(items));
    // What the call before gave is garbage from here on, as it is in a program that is done with it.
    last = undefined;
    let result: unknown;
    let done = 0;
    let started = 0;
    const cpu = process.cpuUsage();
    const start = performance.now();
    const end = start + Number(milliseconds);
    const loop = async () => {
      while (started < Number(calls) || performance.now() < end) {
        started++;
        result = undefined;
        result = await call();
        done++;
      }
    };
    await Promise.all(Array.from({ length: Number(concurrency) }, loop));
    const { user, system } = process.cpuUsage(cpu);
    const wall = Math.round((performance.now() - start) * 1000);
    last = { result, workload };
    return `${done} ${user + system} ${wall} ${peakMemory()}`;
  };

  console.log('ready');
  for await (const line of createInterface(process.stdin)) {
    const [command, ...words] = line.split(' ');
    if (command === 'run') console.log(await run(words));
    else if (command === 'serialization') {
      candidate.useSerialization?.(words[0] as string);
      console.log('ok');
    } else if (command === 'dump' && last) {
      const items = Array.from(candidate.itemsOf(last.result, last.workload), (item) => comparable(item) + ITEM_END);
      writeFileSync(words[0] as string, items.join(''));
      console.log('ok');
    }
  }
  process.exit();
}

/** The items of a response as node-soap and strong-soap give it: the operation's result, which holds one list. */
export function itemsOfResponse(response: unknown): Iterable<unknown> {
  const result = Object.entries(response as object).find(([name]) => name.endsWith('Result'))?.[1] as object;
  const [items] = Object.values(result);
  return Array.isArray(items) ? items : [items];
}

/** In KiB. Linux counts the parent's peak into a child's maxRSS, so the process's own is read where there is one. */
function peakMemory(): number {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
