import type * as timeLimit from '../../src/internal/time-limit';

// A busy machine may take seconds from the decision to send a row to the first byte of its request. In the process of a
// test, only a hang reaches the limits that bulk has for this time. They are a second and more; tests set shorter ones.
jest.mock('../../src/internal/time-limit', () => {
  const { startTimeLimit } = jest.requireActual<typeof timeLimit>('../../src/internal/time-limit');
  return { startTimeLimit: (limitMs: number) => startTimeLimit(limitMs < 1000 ? limitMs : PATIENCE * limitMs) };
});

const PATIENCE = 100;
