import { MessagingError } from '../../errors';
import type { ListingClient } from '../reconcile/listing';
import { reconcile } from '../reconcile/reconcile';
import { InputError } from '../rows/input-error';
import type { OpenList } from '../state/bulk-journal';
import { Run, type RunClient, type RunResult, type RunSettings } from './run';

/**
 * Sends a list in passes. A pass looks for unknown rows first when it may decide more than the last look, and then
 * sends what is pending. Ends when a pass has not lowered the number of unfinished rows, or was stopped.
 */
export async function sendInPasses(
  list: OpenList,
  client: RunClient & ListingClient,
  settings: RunSettings,
): Promise<RunResult> {
  const { journal } = list;
  const { signal, onWarning } = settings;
  const run = new Run(list, client, settings);
  for (let before = unfinishedOf(list); ; before = unfinishedOf(list)) {
    // A worker's message could be taken for that of an unknown row.
    if (journal.state.isWorthLooking && journal.state.table.count('under-way') === 0) {
      try {
        const result = await reconcile(list, client, { ...settings, listing: undefined });
        settings.onReconciled?.(result);
      } catch (error) {
        if (signal?.aborted) return journal.state.table.counts();
        if (error instanceof InputError) return run.endByChange(error);
        if (!(error instanceof MessagingError)) throw error;
        onWarning?.(`unknown rows cannot be looked for now: ${error.message}`);
      }
    }
    const result = await run.sendPending();
    const after = unfinishedOf(list);
    if (result.stopped !== undefined || signal?.aborted || after === 0 || after >= before) return result;
  }
}

/** Weighs the rows that are not finished: a row that became unknown has come one step further than a pending one. */
function unfinishedOf({ journal }: OpenList): number {
  const { pending, unknown } = journal.state.table.counts();
  return 2 * pending + unknown;
}
