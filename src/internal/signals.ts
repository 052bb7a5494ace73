import { once, setMaxListeners } from 'node:events';
import { timers } from './timers';

/** The parts of an AbortSignal that the client uses. */
interface SignalShape {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * `AbortSignal` where the program's types have it, which the DOM library and `@types/node` declare; else any object of
 * its shape. So the types of the package compile without both.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } } ? Known : SignalShape;

/** The longest delay of Node's timers, in milliseconds: 24.8 days. A timer with a longer delay fires at once. */
export const MAX_DELAY_MS = 2_147_483_647;

/**
 * Waits for any time, in milliseconds. A time that is longer than the longest delay is split. A user's test that
 * replaces the global timers moves these pauses.
 *
 * @throws {DOMException} with the name AbortError when the signal aborts
 */
export async function wait(ms: number, signal?: Signal): Promise<void> {
  for (let remaining = ms; remaining > 0; remaining -= MAX_DELAY_MS) {
    const end = combineSignals([signal], Math.min(remaining, MAX_DELAY_MS), globalThis);
    if (!end.signal.aborted) await once(end.signal, 'abort');
    end.release();
    if (signal?.aborted) throw new DOMException('the wait was aborted', 'AbortError');
  }
}

/** Calls a listener when a signal aborts. `removeEventListener` removes it. */
export function onAbort(signal: Signal, listener: () => void): void {
  // Many calls may share a signal, and Node 20 warns of a leak at the eleventh listener.
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
  signal.addEventListener('abort', listener);
}

/** The functions that start and end a timer, without the types of Node, which a user's program may lack. */
interface Timing {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** A signal that is made of other signals. `release` removes its listeners and its timer. */
interface CombinedSignal {
  readonly signal: Signal;
  release(): void;
}

/**
 * Combines signals into one signal, which aborts with the first of them, or with a `TimeoutError` after a time.
 * `AbortSignal.any` and `AbortSignal.timeout` are not used: on Node 20 the garbage collector removes their signals,
 * which then never abort.
 *
 * @param withinMs the time in milliseconds; 0 means no limit
 * @param timing the timers. Default: those that no test of a user has replaced
 */
export function combineSignals(
  signals: readonly (Signal | undefined)[],
  withinMs = 0,
  timing: Timing = timers,
): CombinedSignal {
  const controller = new AbortController();
  const sources = signals.filter((signal) => signal !== undefined);
  // A signal of the caller's own class may call its listeners without an event.
  const abort = (): void => controller.abort(sources.find(({ aborted }) => aborted)?.reason);
  let isReleased = false;
  const expire = (): void => {
    if (!isReleased) controller.abort(new DOMException('the time limit is over', 'TimeoutError'));
  };
  // If this process was busy or stopped, what came meanwhile is read before the next setImmediate.
  const timer = withinMs > 0 ? timing.setTimeout(() => timers.setImmediate(expire), withinMs) : undefined;
  for (const source of sources) onAbort(source, abort);
  if (sources.some(({ aborted }) => aborted)) abort();
  return {
    signal: controller.signal,
    release: () => {
      isReleased = true;
      timing.clearTimeout(timer);
      for (const source of sources) source.removeEventListener('abort', abort);
    },
  };
}

/** Makes an iterator of a generator. Leaving the loop aborts the generator's signal, even while a `next` is pending. */
export function abandonable<T>(
  generate: (abandoned: Signal) => AsyncGenerator<T, undefined>,
): AsyncIterableIterator<T> {
  const controller = new AbortController();
  const generator = generate(controller.signal);
  return {
    next: () => generator.next(),
    return: () => {
      // An async generator returns only when its pending `next` has settled.
      controller.abort();
      return generator.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
