import type * as sending from '../../src/bulk/sending/send-batch';

// A busy machine may take seconds from the decision to send a row to the first byte of its request. In the process of a
// test, only a hang reaches the limit of this time.
jest.mock('../../src/bulk/sending/send-batch', () => {
  const actual = jest.requireActual<typeof sending>('../../src/bulk/sending/send-batch');
  return { ...actual, startTimeLimit: (limitMs: number) => actual.startTimeLimit(PATIENCE * limitMs) };
});

const PATIENCE = 100;
