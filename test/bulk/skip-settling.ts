// Import this file first: no reconciliation of the test waits longer than 50 ms for requests to settle.
jest.mock('../../src/internal/signals', () => {
  const timers = jest.requireActual<typeof import('../../src/internal/signals')>('../../src/internal/signals');
  return { ...timers, wait: (ms: number, signal?: AbortSignal) => timers.wait(Math.min(ms, 50), signal) };
});
