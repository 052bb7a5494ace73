import { timers } from './timers';

/** Gives the time within which something must begin, in milliseconds. It must not begin when no time is left. */
export type TimeLeft = () => number;

/** Starts to measure a time limit, in milliseconds. */
export function startTimeLimit(limitMs: number): TimeLeft {
  const [started, at] = [timers.now(), timers.systemTime()];
  // The first clock does not count the time in which a machine sleeps, and the second clock can be set.
  return () => limitMs - Math.max(timers.now() - started, timers.systemTime() - at);
}
