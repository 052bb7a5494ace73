import { performance as clock } from 'node:perf_hooks';
import nodeTimers from 'node:timers';

// A user's test may replace timers and clocks: Jest replaces the globals, and node:test the members of node:timers too.
// A call must work all the same, so its limits and connections use what Node had when this module was loaded.

const { setTimeout, clearTimeout, setImmediate } = nodeTimers;
const globalImmediate = globalThis.setImmediate;

/** The timers and clocks of Node. Only a test of this package changes a member. */
export const timers = {
  setTimeout,
  clearTimeout,
  setImmediate,
  /** The milliseconds of a clock that only goes forward. */
  now: clock.now.bind(clock),
  /** The milliseconds of the system's clock. It goes on while the machine is suspended. */
  systemTime: Date.now.bind(Date),
};

/** True while a test has replaced the timers that a library in this process uses. */
export function areTimersReplaced(): boolean {
  return globalThis.setImmediate !== globalImmediate;
}
