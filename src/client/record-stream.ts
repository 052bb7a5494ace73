import { AbortError, type ErrorContext } from '../errors';
import { abandonable, type CombinedSignal, combineSignals, type Signal } from '../internal/signals';
import { captureCallSite, type RecordConsumer } from './call';

/** The number of waiting records at which the connection pauses. */
const HIGH_WATER_MARK = 500;

/**
 * Yields the records of a response that is still arriving. The iteration ends only when the whole response was read and
 * its status checked; else it rejects. Leaving the loop aborts the call.
 *
 * @param takeSignal returns the signal of the call's options, or throws when the options are wrong
 * @param call starts the call, which settles when the response was read and checked
 */
export function streamRecords<T>(
  context: ErrorContext,
  takeSignal: () => Signal | undefined,
  call: (consumer: RecordConsumer, signal: AbortSignal) => Promise<unknown>,
): AsyncIterableIterator<T> {
  let records: unknown[] = [];
  let next = 0;
  /** The number of records that the generator was asked for and has not yielded. */
  let asked = 0;
  let signal: Signal | undefined;
  const stream = abandonable<T>(async function* (abandoned) {
    let resume: (() => void) | undefined;
    let stop: CombinedSignal | undefined;
    let wake = () => {};
    const consumer: RecordConsumer = {
      push: (arrived, continueReading) => {
        records = next < records.length ? [...records.slice(next), ...arrived] : arrived;
        next = 0;
        wake();
        if (records.length < HIGH_WATER_MARK) return true;
        resume = continueReading;
        return false;
      },
    };
    try {
      signal = takeSignal();
      stop = combineSignals([signal, abandoned]);
      let isSettled = false;
      const settle = () => {
        isSettled = true;
        wake();
      };
      const result = call(consumer, stop.signal);
      result.then(settle, settle);
      for (;;) {
        while (next < records.length) {
          // The response may have arrived as a whole, but the caller wants no more of it.
          if (signal?.aborted) throw new AbortError({ ...context, outcome: 'unknown', cause: signal.reason });
          asked--;
          yield records[next++] as T;
        }
        if (isSettled) return void (await result);
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        // Records may arrive, and reading may pause again, before this call returns.
        const resumeReading = resume;
        resume = undefined;
        resumeReading?.();
        await woken;
      }
    } catch (error) {
      if (abandoned.aborted) return;
      captureCallSite(error);
      throw error;
    } finally {
      stop?.release();
      records = [];
    }
  });
  return {
    ...stream,
    next: () => {
      // A turn of the generator for each record would cost a tenth of the time that reading a list takes.
      if (asked === 0 && next < records.length && !signal?.aborted) {
        return Promise.resolve({ done: false, value: records[next++] as T });
      }
      asked++;
      return stream.next();
    },
  };
}
