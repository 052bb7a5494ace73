import { once } from 'node:events';
import { ConnectionError, TimeoutError } from '../errors';
import { combineSignals } from '../internal/signals';
import { timers } from '../internal/timers';

/** The first and the longest pause before another attempt, in milliseconds. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5000;

/**
 * Retries a call that provably was not sent because of the network. No other failure is ever repeated.
 *
 * @param until the time after which no attempt may begin, on the clock of `timers.now()`
 * @param signals end a pause. The attempt that follows then fails for the signal's reason
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  retries: number,
  until: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      // Jitter keeps clients that failed together from coming back together.
      const pauseMs = Math.min(FIRST_PAUSE * 2 ** count, LONGEST_PAUSE) * (0.5 + Math.random() / 2);
      if (count >= retries || !isUnsent(error) || timers.now() + pauseMs >= until) throw error;
      const end = combineSignals(signals, pauseMs);
      if (!end.signal.aborted) await once(end.signal, 'abort');
      end.release();
    }
  }
}

/** True when the network kept the request from being sent. A closed client is not a failure of the network. */
function isUnsent(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.outcome === 'not-sent' && error.code !== 'CLOSED';
  return error instanceof TimeoutError && error.outcome === 'not-sent';
}
