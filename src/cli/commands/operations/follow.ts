import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import { ConnectionError, TimeoutError } from '../../../errors';
import { explain } from '../../terminal/explain';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { Outage } from '../../terminal/outage';
import { OutputError, ReaderGone } from '../../terminal/output-stream';
import type { CommandCall } from './command-call';

/** The default time between two requests, in milliseconds. */
const EVERY_MS = 5000;

/**
 * The number of ids that are remembered. A message that is listed again after this many other messages is printed
 * twice.
 */
const REMEMBERED = 1_000_000;

/**
 * Lists again and again, and prints the records whose messageid is new. A call that reached nothing is repeated at the
 * next turn. Any other failure ends it: the service may have marked messages as read that were not printed.
 */
export async function followList(call: CommandCall, list: () => Promise<readonly unknown[]>): Promise<void> {
  const { context, printer, flags } = call;
  const { signal } = call.session;
  if (printer.format === 'json') throw new UsageError('--follow: prints ndjson, csv or a table, not json');
  const seen = new Set<unknown>();
  const isNew = (row: unknown): boolean => {
    const { messageid } = row as Pick<ApiReceive, 'messageid'>;
    if (seen.has(messageid)) return false;
    if (seen.size === REMEMBERED) seen.delete(seen.values().next().value);
    seen.add(messageid);
    return true;
  };
  const { progress } = printer;
  const outage = new Outage(progress ? (line) => progress.tell(line) : context.log);
  for (;;) {
    try {
      const rows = (await list()).filter(isNew);
      outage.end();
      if (rows.length > 0) await printReceived(rows, call);
    } catch (error) {
      if (!isOutage(error)) throw error;
      outage.report(explain(error, { way: call.session.options }).message);
    }
    // It rejects only when the signal aborts. Ctrl-C between two requests is the usual end, and no error.
    await sleep(flags.every ?? EVERY_MS, undefined, { signal }).catch(() => {
      throw new CommandFailure(explain(signal.reason).exitCode);
    });
  }
}

/**
 * Prints records, and resolves when they have left the process: the next request may take more messages, so a failure
 * of the output must be known before it.
 *
 * @throws {CommandFailure} also if the reader of the output closed it: the records are lost
 */
async function printReceived(rows: readonly unknown[], { printer, session, context }: CommandCall): Promise<void> {
  const { signal } = session;
  try {
    await printer.print(rows, signal);
    await context.stdout.finish(signal);
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
