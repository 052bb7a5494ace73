import type * as timeLimit from '../../src/internal/time-limit';

// A busy machine may take seconds from the decision to send a row to the first byte of its request. In the process of a
// test, only a hang reaches the limits that bulk has for this time. They are a second and more; tests set shorter ones.
jest.mock('../../src/internal/time-limit', () => {
  const { startTimeLimit } = jest.requireActual<typeof timeLimit>('../../src/internal/time-limit');
  return { startTimeLimit: (limitMs: number) => startTimeLimit(limitMs < 1000 ? limitMs : PATIENCE * limitMs) };
});

const PATIENCE = 100;

// A server ends a connection that was idle for 5 seconds. On a busy machine, a test may send a request over the
// connection at that moment, and the request fails. So each request of a test has its own connection.
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  request.headers.set('connection', 'close');
  return fetch(request);
};
