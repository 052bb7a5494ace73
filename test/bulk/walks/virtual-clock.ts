// Import this file first: no wait of the test takes time. It moves the clocks on instead.
let mockPassedMs = 0;
jest.mock('../../../src/internal/signals', () => ({
  ...jest.requireActual<object>('../../../src/internal/signals'),
  wait: async (ms: number) => {
    mockPassedMs += ms;
    await new Promise(setImmediate);
  },
}));
for (const clock of [performance, Date]) {
  const now = clock.now.bind(clock);
  clock.now = () => now() + Math.floor(mockPassedMs);
}
