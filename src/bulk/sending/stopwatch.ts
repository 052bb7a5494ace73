import { performance } from 'node:perf_hooks';

/** Starts to measure. The function that it gives returns the milliseconds since then, with those in which the machine slept. */
export function startStopwatch(): () => number {
  const [started, at] = [performance.now(), Date.now()];
  // The first clock stands still while a machine sleeps, the second one can be set.
  return () => Math.max(performance.now() - started, Date.now() - at);
}
