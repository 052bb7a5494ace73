import { ConnectionError, TimeoutError } from '../errors';

/** The first pause before another attempt, and the longest, in milliseconds. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5000;

interface RetryLimits {
  readonly retries: number;
  /** When no attempt may begin any more, on the clock of `performance.now()`. */
  readonly until: number;
  /** Each of them ends a pause; the attempt that follows then finds out why. */
  readonly signals: readonly AbortSignal[];
}

/** Attempts a call again while it provably was not sent because of the network. Nothing else is ever repeated. */
export async function withRetries<T>(attempt: () => Promise<T>, { retries, until, signals }: RetryLimits): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      // Jitter, so that clients that failed together do not come back together.
      const pause = Math.min(FIRST_PAUSE * 2 ** count, LONGEST_PAUSE) * (0.5 + Math.random() / 2);
      if (count >= retries || !isUnsent(error) || performance.now() + pause >= until) throw error;
      await wait(pause, signals);
    }
  }
}

/** Whether the network kept the request from being sent. A closed client is no failure of the network. */
function isUnsent(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.outcome === 'not-sent' && error.code !== 'CLOSED';
  return error instanceof TimeoutError && error.outcome === 'not-sent';
}

function wait(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    for (const signal of signals) signal.addEventListener('abort', end);
  });
}
