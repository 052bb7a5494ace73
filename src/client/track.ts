import { AbortError, isTransient, RequestError, ResponseError, TrackingTimeout } from '../errors';
import { abandonable, combineSignals, type Signal, wait } from '../internal/signals';
import { findValueProblem } from '../soap/values';
import type { resolveTrackOptions } from './options/track';

/** A status of a message that differs from the status that was seen before. */
export interface TrackedStatus {
  readonly messageid: bigint;
  /** The status. The contract does not define the values. */
  readonly status: number;
  /** The status that was seen before; undefined for the first one. */
  readonly previous: number | undefined;
  /** True when `finalStatuses` has the status. The message is then not asked for again. */
  readonly final: boolean;
}

/** The options of a tracking, checked and with every default in place. */
export interface Tracking extends ReturnType<typeof resolveTrackOptions> {
  /** Calls GetStatusByApikey. */
  readonly getStatus: (messageid: readonly bigint[], signal: Signal) => Promise<readonly number[]>;
}

const operation = 'GetStatusByApikey';

/**
 * Asks for the status of messages again and again, and yields each change. Leaving the loop ends a wait and a request
 * at once.
 *
 * @param begin checks the options when the first change is asked for, so that a wrong option rejects
 */
export function track(ids: Iterable<bigint | number>, begin: () => Tracking): AsyncIterableIterator<TrackedStatus> {
  return abandonable((abandoned) => findChanges(ids, begin, abandoned));
}

async function* findChanges(
  ids: Iterable<bigint | number>,
  begin: () => Tracking,
  abandoned: AbortSignal,
): AsyncGenerator<TrackedStatus, undefined> {
  const tracking = begin();
  const { finalStatuses, everyMs, maxEveryMs, batchSize, withinMs, signal } = tracking;
  const pending = readIds(ids);
  const total = pending.size;
  const stop = combineSignals([signal, abandoned], withinMs, globalThis);
  let pause = everyMs;
  try {
    while (pending.size > 0) {
      let isChanged = false;
      const asked = [...pending.keys()];
      for (let start = 0; start < asked.length; start += batchSize) {
        const batch = asked.slice(start, start + batchSize);
        const statuses = await ask(tracking, batch, stop.signal);
        for (const [index, status] of statuses.entries()) {
          const messageid = batch[index] as bigint;
          const previous = pending.get(messageid);
          if (status === previous) continue;
          const final = finalStatuses.has(status);
          if (final) pending.delete(messageid);
          else pending.set(messageid, status);
          isChanged = true;
          yield { messageid, status, previous, final };
          if (signal?.aborted) throw abortError(signal);
        }
      }
      if (pending.size === 0) return;
      pause = isChanged ? everyMs : Math.max(everyMs, Math.min(pause * 2, maxEveryMs));
      await wait(pause, stop.signal);
    }
  } catch (error) {
    // Only a stop aborts a request or a wait.
    if ((error as Error).name !== 'AbortError' || !stop.signal.aborted) throw error;
    if (abandoned.aborted) return;
    if (signal?.aborted) throw error instanceof AbortError ? error : abortError(signal);
    throw new TrackingTimeout({ pending: [...pending.keys()], total, withinMs });
  } finally {
    stop.release();
  }
}

/** Asks for the statuses of a batch; returns none after a transient failure. */
async function ask(
  { getStatus, onFailure }: Tracking,
  batch: readonly bigint[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  let statuses: readonly number[];
  try {
    statuses = await getStatus(batch, signal);
  } catch (error) {
    if (!isTransient(error)) throw error;
    await onFailure?.(error, batch);
    return [];
  }
  if (statuses.length === batch.length) return statuses;
  throw new ResponseError({
    operation,
    message: `the response has ${statuses.length} statuses for ${batch.length} ids`,
  });
}

function abortError({ reason }: AbortSignal): AbortError {
  return new AbortError({ operation, outcome: 'not-sent', cause: reason });
}

/** The ids without a final status, each with its last status. An id that is given twice is one key. */
function readIds(ids: Iterable<bigint | number>): Map<bigint, number | undefined> {
  if (typeof ids !== 'object' || typeof ids?.[Symbol.iterator] !== 'function') {
    const message = 'a list of xsd:long is needed';
    throw new RequestError({ operation, problems: [{ field: 'messageid', message }] });
  }
  const pending = new Map<bigint, undefined>();
  let index = 0;
  for (const id of ids) {
    const message = findValueProblem({ name: 'long', kind: 'integer', type: 'long' }, id);
    if (message !== undefined)
      throw new RequestError({ operation, problems: [{ field: 'messageid', index, message }] });
    pending.set(BigInt(id), undefined);
    index++;
  }
  return pending;
}
