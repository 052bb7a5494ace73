import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import { ConnectionError, TimeoutError } from '../../../errors';
import { MAX_DELAY_MS } from '../../../internal/timers';
import type { Context } from '../../commander/command';
import { explain } from '../../terminal/explain';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { OutputError, ReaderGone } from '../../terminal/output-stream';
import type { CommandCall } from './command-call';

/** The default time between two requests, in milliseconds. */
const EVERY_MS = 5000;

/** The number of ids that are remembered. A message that is listed again after this many other messages is printed twice. */
const REMEMBERED = 1_000_000;

/** Reads a time such as 5s, in milliseconds. @throws {UsageError} */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError(`--every: ${JSON.stringify(text)} is not a time such as 500ms, 5s or 1m`);
  if (Number(count) === 0) throw new UsageError(`--every: ${JSON.stringify(text)} is not a time above 0`);
  return Math.min(Number(count) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit as 'ms'], MAX_DELAY_MS);
}

/**
 * Lists again and again, and prints the records whose messageid is new. A call that reached nothing is repeated at the next
 * turn. Any other failure ends it: the service may have marked messages as read that were not printed.
 */
export async function followList(
  call: CommandCall,
  list: () => Promise<readonly unknown[]>,
  everyMs = EVERY_MS,
  { log, stdout }: Pick<Context, 'log' | 'stdout'>,
): Promise<void> {
  const { signal } = call;
  const seen = new Set<unknown>();
  const isNew = (row: unknown): boolean => {
    const { messageid } = row as Pick<ApiReceive, 'messageid'>;
    if (seen.has(messageid)) return false;
    if (seen.size === REMEMBERED) seen.delete(seen.values().next().value);
    seen.add(messageid);
    return true;
  };
  for (;;) {
    try {
      const rows = (await list()).filter(isNew);
      if (rows.length > 0) await printReceived(rows, call, stdout);
    } catch (error) {
      if (!isOutage(error)) throw error;
      log(`warning: ${explain(error).message}; asking again`);
    }
    // It rejects only when the signal aborts; the reason, Ctrl-C, is what to report.
    await sleep(everyMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/**
 * Prints records, and resolves when they have left the process: the next request may take more messages, so a failure of the
 * output must be known before it.
 *
 * @throws {CommandFailure} also if the reader of the output closed it: the records are lost
 */
async function printReceived(
  rows: readonly unknown[],
  { printer, signal }: CommandCall,
  stdout: Context['stdout'],
): Promise<void> {
  try {
    await printer.print(rows, signal);
    await stdout.finish(signal);
  } catch (error) {
    if (!(error instanceof ReaderGone || error instanceof OutputError)) throw error;
    const count = rows.length === 1 ? 'the last record' : `the last ${rows.length} records`;
    const message = error instanceof ReaderGone ? 'the reader of the output closed it' : error.message;
    throw new CommandFailure(
      exitCodes.unexpected,
      `${message}; ${count} may be marked as read at the service, and not printed`,
    );
  }
}

/** True for a call that did not reach the service. */
function isOutage(error: unknown): boolean {
  return (error instanceof ConnectionError || error instanceof TimeoutError) && error.outcome === 'not-sent';
}
