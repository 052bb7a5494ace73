import { performance } from 'node:perf_hooks';

/** Starts to measure. What it gives tells how long ago that was, in milliseconds, also when the process or the machine slept. */
export function startStopwatch(): () => number {
  const [started, at] = [performance.now(), Date.now()];
  // The first clock stands still while a machine sleeps, the second one can be set.
  return () => Math.max(performance.now() - started, Date.now() - at);
}
