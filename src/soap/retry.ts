import { ConnectionError, TimeoutError } from '../errors';

/** The first and the longest pause before another attempt, in milliseconds. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5000;

interface RetryOptions {
  readonly retries: number;
  /** The time after which no attempt may begin, on the clock of `performance.now()`. */
  readonly until: number;
  /** Signals that end a pause. The attempt that follows then fails for the signal's reason. */
  readonly signals: readonly AbortSignal[];
}

/** Attempts a call again while the network provably kept it from being sent. No other failure is ever repeated. */
export async function withRetries<T>(attempt: () => Promise<T>, { retries, until, signals }: RetryOptions): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      // Jitter keeps clients that failed together from coming back together.
      const pause = Math.min(FIRST_PAUSE * 2 ** count, LONGEST_PAUSE) * (0.5 + Math.random() / 2);
      if (count >= retries || !isUnsent(error) || performance.now() + pause >= until) throw error;
      await wait(pause, signals);
    }
  }
}

/** True when the network kept the request from being sent. A closed client is not a failure of the network. */
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
