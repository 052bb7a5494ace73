import { clock as mockClock } from './clock';

// Import this file first: no wait of the test takes time. It moves the clock of the walk on instead.
jest.mock('../../../src/internal/signals', () => ({
  ...jest.requireActual<object>('../../../src/internal/signals'),
  wait: (ms: number, signal?: AbortSignal) => mockClock.wait(ms, signal),
}));
