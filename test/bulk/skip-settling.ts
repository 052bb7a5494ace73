// Import this file first: no reconciliation of the test waits longer than 50 ms for requests to settle.
jest.mock('../../src/internal/timers', () => {
  const timers = jest.requireActual<typeof import('../../src/internal/timers')>('../../src/internal/timers');
  return { ...timers, wait: (ms: number, signal?: AbortSignal) => timers.wait(Math.min(ms, 50), signal) };
});
