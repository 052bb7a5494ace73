import { timers } from '../../src/internal/timers';
import { cleanUp } from './clean-up';

/** Time that stands still until the test moves it on. */
export interface HeldClock {
  /** Moves it on, and lets what is due happen. */
  advance(ms: number): Promise<void>;
  /** Moves it on again and again until the promise is settled. */
  advanceUntilSettled(promise: Promise<unknown>, step: number): Promise<void>;
  /** Lets time pass again. */
  release(): void;
}

const real = { ...timers };

/**
 * Takes timers, Date and performance.now() from the rest of the process until the test is over, so that no test depends
 * on how busy the machine is. This includes the timers of the client, which a user's test cannot take. Sockets, and
 * whatever else is no timer, go on.
 */
export function holdClock(): HeldClock {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] });
  const { setTimeout, clearTimeout } = globalThis;
  Object.assign(timers, { setTimeout, clearTimeout, now: () => performance.now(), systemTime: () => Date.now() });
  const release = (): void => {
    Object.assign(timers, real);
    jest.useRealTimers();
  };
  cleanUp(release);
  const advance = async (ms: number): Promise<void> => {
    await jest.advanceTimersByTimeAsync(ms);
    await turns();
  };
  return {
    advance,
    async advanceUntilSettled(promise, step) {
      while (!(await isSettled(promise))) await advance(step);
    },
    release,
  };
}

/** Lets the event loop go round a few times, for what needs no timer. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether the promise is settled by now. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await turns();
  return settled;
}

const realSetTimeout = setTimeout;

/** Waits by the real clock, even while the test holds it. No test may depend on how long it really takes. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => realSetTimeout(resolve, ms));
}

/** A promise that somebody else fulfils. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
