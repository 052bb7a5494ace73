/**
 * The loop of a client program. The programs in other languages have the same loop. Each line on stdin is a command, and each
 * command is followed by a line on stdout:
 *
 *   run <workload> <items> <concurrency> <calls> <milliseconds>   makes at least this many calls, for at least this time;
 *                                                                 prints: <calls> <CPU µs> <peak memory KiB>
 *   dump <file>                                                   writes the last call's result as comparable text; prints: ok
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { comparable, ITEM_END } from '../comparison';
import type { Workload } from '../data';

/** A client under measurement. Each workload prepares its request, outside the measurement, and returns the call. */
export interface BenchClient extends Record<Workload, (items: number) => () => Promise<unknown>> {
  /** The items of a call's result. */
  itemsOf(result: unknown): Iterable<unknown>;
}

export async function serveCommands(client: BenchClient): Promise<void> {
  let last: unknown;

  async function run([name, items, concurrency, calls, milliseconds]: readonly string[]): Promise<string> {
    const call = client[name as Workload](Number(items));
    // The result of the previous call becomes garbage here, as in a program that no longer needs it.
    last = undefined;
    let result: unknown;
    let done = 0;
    let started = 0;
    const cpu = process.cpuUsage();
    const end = performance.now() + Number(milliseconds);
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
    last = result;
    return `${done} ${user + system} ${peakMemory()}`;
  }

  console.log('ready');
  for await (const line of createInterface(process.stdin)) {
    const [command, ...words] = line.split(' ');
    if (command === 'run') console.log(await run(words));
    else {
      writeFileSync(
        words[0] as string,
        Array.from(client.itemsOf(last), (item) => comparable(item) + ITEM_END).join(''),
      );
      console.log('ok');
    }
  }
  process.exit();
}

/** The peak memory in KiB. On Linux, maxRSS of a child includes its parent's peak, so the process's own is read there. */
function peakMemory(): number {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
