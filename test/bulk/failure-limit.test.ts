import { FailureLimit } from '../../src/bulk/sending/failure-limit';

function fail(limit: FailureLimit, times: number): void {
  for (let time = 0; time < times; time++) limit.countFailure(false);
}

test('consecutive failures end the sending at the limit, and say how many there were', () => {
  const limit = new FailureLimit(3);
  fail(limit, 2);
  expect(limit.reason).toBeUndefined();
  fail(limit, 1);
  expect(limit.reason).toBe('3 consecutive requests failed');
});

test('a request that was sent starts the count of failures again', () => {
  const limit = new FailureLimit(3);
  fail(limit, 2);
  limit.countSent();
  expect(limit.consecutive).toBe(0);
  fail(limit, 2);
  expect(limit.reason).toBeUndefined();
});

test('the very first request of a list ends the sending when it fails', () => {
  const limit = new FailureLimit(10);
  limit.countFailure(true);
  expect(limit.reason).toMatch(/^the first request of the list failed/);
});

test('a first request of another list does not end the sending once a row was sent', () => {
  const limit = new FailureLimit(10);
  limit.countSent();
  limit.countFailure(true);
  expect(limit.reason).toBeUndefined();
});

test('with a limit of 0, no failure ends the sending', () => {
  const limit = new FailureLimit(0);
  limit.countFailure(true);
  fail(limit, 100);
  expect(limit.reason).toBeUndefined();
});
