import { MessagingError } from '../errors';
import type { ListingClient } from './reconcile/listing';
import { type ReconcileSettings, type Reconciliation, reconcile } from './reconcile/reconcile';
import { retryRows } from './retry';
import { type RunClient, type RunResult, type RunSettings, sendPending } from './sending/run';
import type { OpenList } from './state/bulk-journal';

/** The greatest number of requests that may contain a row. */
const MAX_SENDS = 3;

/** How a list is sent until it is done. */
export interface UntilDoneSettings extends RunSettings {
  readonly reconciling: ReconcileSettings;
  readonly onReconciled?: ((result: Reconciliation) => void) | undefined;
}

/**
 * Sends a list in passes. A pass looks for unknown rows first, then makes those pending that the service provably does not have, and
 * then sends what is pending. Ends when a pass has not lowered the number of unfinished rows, or was stopped.
 */
export async function sendUntilDone(
  list: OpenList,
  client: RunClient & ListingClient,
  { reconciling, onReconciled, ...settings }: UntilDoneSettings,
): Promise<RunResult> {
  const { journal } = list;
  const { table } = journal.state;
  for (let before = unfinishedOf(list); ; before = unfinishedOf(list)) {
    if (table.count('unknown') > 0) {
      try {
        const result = await reconcile(list, client, reconciling);
        onReconciled?.(result);
      } catch (error) {
        if (settings.signal?.aborted) return table.counts();
        if (!(error instanceof MessagingError)) throw error;
        settings.onWarning?.(`unknown rows cannot be looked for now: ${error.message}`);
      }
      await retryRows(journal, 'not-found', (row) => table.sends(row) < MAX_SENDS);
    }
    const result = await sendPending(list, client, settings);
    const after = unfinishedOf(list);
    if (result.stopped !== undefined || settings.signal?.aborted || after === 0 || after >= before) return result;
  }
}

/** Weighs the rows that are not finished: a row that became unknown has come one step further than a pending one. */
function unfinishedOf({ journal }: OpenList): number {
  const { pending, unknown } = journal.state.table.counts();
  return 2 * pending + unknown;
}
