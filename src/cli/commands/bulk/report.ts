import { existsSync } from 'node:fs';
import { type BulkStatus, type Counts, InputError } from '../../../bulk';
import type { Bulk } from '../../../bulk/bulk';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { type BulkCall, tellSteps } from './command';
import { stepsOfList, stepsOfMoreRows } from './next-steps';
import { describeLeftOut, describePromise, summaryOf } from './words';

export function exitCodeOf({ unknown, rejected, pending, 'under-way': underWay }: Counts): number {
  if (unknown > 0) return exitCodes.unknown;
  if (rejected > 0) return exitCodes.status;
  return pending + underWay > 0 ? exitCodes.notSent : exitCodes.done;
}

export function reportCounts(call: BulkCall, status: BulkStatus): void {
  call.context.log(`${summaryOf(status.counts)}${describeLeftOut(status)}`);
  printNextSteps(call, status);
}

/** @throws {CommandFailure} with the exit code of the counts; the reason of an aborted signal */
export function report(call: BulkCall, status: BulkStatus, signal?: AbortSignal): void {
  reportCounts(call, status);
  signal?.throwIfAborted();
  const exitCode = exitCodeOf(status.counts);
  if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
}

/** The number of rows that are shown one by one. */
const MAX_ROWS = 10;

/** Prints the rows that are left and were tried: unknown, undecided and rejected rows. */
export async function reportRemaining(call: BulkCall, bulk: Bulk): Promise<void> {
  const { log } = call.context;
  const { counts, isWorthLooking } = bulk.status();
  const remaining = counts.rejected + counts.unknown;
  if (remaining === 0) return;
  let shown = 0;
  try {
    for await (const { row, receptor, state, reason } of bulk.results()) {
      if (state !== 'rejected' && state !== 'unknown') continue;
      log(`row ${row} to ${receptor} is ${state === 'unknown' && !isWorthLooking ? 'undecided' : state}: ${reason}`);
      shown += 1;
      if (shown === Math.min(remaining, MAX_ROWS)) break;
    }
  } catch (error) {
    // The file has changed, which was said already.
    if (!(error instanceof InputError)) throw error;
  }
  if (remaining > shown) tellSteps(call, stepsOfMoreRows(call.file, remaining - shown));
}

/** Prints what to do next with a list. */
export function printNextSteps(call: BulkCall, status: BulkStatus): void {
  const { file, context } = call;
  for (const notice of status.notices) context.log(notice);
  const { uniqueClientmessageid: time = 'never' } = status.settings;
  if (time !== 'never' && status.counts.unknown > 0) context.log(describePromise(time));
  tellSteps(call, stepsOfList(file, status, !existsSync(file)));
}
