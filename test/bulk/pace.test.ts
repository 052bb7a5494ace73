import { HttpError } from '../../src';
import { Pace } from '../../src/bulk/sending/pace';
import type { SendResult } from '../../src/bulk/sending/send-batch';

const sent: SendResult = { outcome: { t: 'sent', ids: ['1'] } };
const failed: SendResult = { outcome: { t: 'unknown', error: 'reset' } };

/** A response with HTTP status 429. */
function pushBack(headers: Readonly<Record<string, string>> = {}): SendResult {
  const pushback = new HttpError({ operation: 'SendSimpleByApikey', httpStatus: 429, headers });
  return { outcome: { t: 'not-sent', error: 'HTTP status 429' }, pushback };
}

/** A pace with a clock that the test moves. */
function paceOf({ concurrency = 16, stopAfterFailures = 10, hasSent = true } = {}) {
  const clock = { ms: 0 };
  const pauses: number[] = [];
  const onPause = (ms: number) => pauses.push(ms);
  const pace = new Pace({ concurrency, stopAfterFailures, onPause }, hasSent, () => clock.ms);
  const count = (result: SendResult, times = 1, isFirst = false) => {
    for (let time = 0; time < times; time++) pace.count(result, isFirst);
  };
  return { pace, clock, pauses, count };
}

describe('failures', () => {
  test('consecutive ones end the sending at the limit, and say how many there were', () => {
    const { pace, count } = paceOf({ stopAfterFailures: 3 });
    count(failed, 2);
    expect(pace.reason).toBeUndefined();
    count(failed);
    expect(pace.reason).toBe('3 consecutive requests failed');
  });

  test('a request that was sent starts their count again', () => {
    const { pace, count } = paceOf({ stopAfterFailures: 3 });
    count(failed, 2);
    count(sent);
    expect(pace.consecutiveFailures).toBe(0);
    count(failed, 2);
    expect(pace.reason).toBeUndefined();
  });

  test('one of the very first request of a list ends the sending', () => {
    const { pace, count } = paceOf({ hasSent: false });
    count(failed, 1, true);
    expect(pace.reason).toMatch(/^the first request failed and no row is sent/);
  });

  test('one of the first request of another list does not end the sending once a row was sent', () => {
    const { pace, count } = paceOf({ hasSent: false });
    count(sent);
    count(failed, 1, true);
    expect(pace.reason).toBeUndefined();
  });

  test('with a limit of 0, none ends the sending', () => {
    const { pace, count } = paceOf({ stopAfterFailures: 0, hasSent: false });
    count(failed, 1, true);
    count(failed, 100);
    expect(pace.reason).toBeUndefined();
  });
});

test('until a row is sent, one request may be under way', () => {
  const { pace, count } = paceOf({ hasSent: false });
  expect(pace.limit).toBe(1);
  count(sent);
  expect(pace.limit).toBe(16);
});

describe('after HTTP status 429', () => {
  test('nothing is sent for one second, then for twice as long each time, and at most for a minute', () => {
    const { pace, clock, pauses, count } = paceOf();
    for (let time = 0; time < 8; time++) {
      count(pushBack());
      clock.ms += pace.pauseMs;
      expect(pace.pauseMs).toBe(0);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    count(sent);
    count(pushBack());
    expect(pauses.at(-1)).toBe(1000);
  });

  test.each<[string, Record<string, string>, number]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['several times', { 'retry-after': '60, 120,7' }, 120_000],
    ['more than five minutes', { 'retry-after': '4000' }, 300_000],
    [
      'a date, by the clock of the service',
      { 'retry-after': 'Wed, 21 Oct 2015 07:28:09 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' },
      9000,
    ],
    ['a date that is over', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 1000],
    ['no seconds', { 'retry-after': '0' }, 1000],
    ['something else', { 'retry-after': 'soon' }, 1000],
  ])('Retry-After with %s', (_, headers, pauseMs) => {
    const { pace, count } = paceOf();
    count(pushBack(headers));
    expect(pace.pauseMs).toBe(pauseMs);
  });

  test('a date without the clock of the service is compared with the own clock', () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2015-10-21T07:28:00Z'));
    const { pace, count } = paceOf();
    count(pushBack({ 'retry-after': 'Wed, 21 Oct 2015 07:28:05 GMT' }));
    jest.restoreAllMocks();
    expect(pace.pauseMs).toBe(5000);
  });

  test('of requests that were under way together, the longest pause counts, and the requests at a time are halved once', () => {
    const { pace, clock, pauses, count } = paceOf();
    count(pushBack({ 'retry-after': '2' }));
    count(pushBack({ 'retry-after': '10' }));
    count(pushBack({ 'retry-after': '3' }));
    count(pushBack());
    expect([pace.pauseMs, pace.limit, pauses]).toEqual([10_000, 8, [2000]]);
    clock.ms = 10_000;
    count(pushBack());
    expect([pace.pauseMs, pace.limit]).toEqual([1000, 4]);
  });

  test('one request more may be under way after each 20 that were sent, up to the limit of the command', () => {
    const { pace, clock, count } = paceOf({ concurrency: 4 });
    count(pushBack());
    clock.ms = 1000;
    count(sent, 19);
    expect(pace.limit).toBe(2);
    count(sent);
    expect(pace.limit).toBe(3);
    count(sent, 100);
    expect(pace.limit).toBe(4);
  });

  test('at least one request may be under way', () => {
    const { pace, clock, count } = paceOf({ concurrency: 2 });
    for (let time = 0; time < 3; time++) {
      count(pushBack());
      clock.ms += pace.pauseMs;
    }
    expect(pace.limit).toBe(1);
  });

  test('it is no failure, and not the failure of a first request', () => {
    const { pace, clock, count } = paceOf({ hasSent: false, stopAfterFailures: 1 });
    for (let time = 0; time < 20; time++) {
      count(pushBack(), 1, true);
      clock.ms += pace.pauseMs;
    }
    expect([pace.reason, pace.consecutiveFailures]).toEqual([undefined, 0]);
  });

  test('the sending ends when nothing else came for 30 minutes', () => {
    const { pace, clock, count } = paceOf({ stopAfterFailures: 0 });
    const pushBackFor = (ms: number) => {
      for (const end = clock.ms + ms; clock.ms < end; clock.ms += 60_000) count(pushBack({ 'retry-after': '60' }));
    };
    pushBackFor(29 * 60_000);
    count(sent);
    pushBackFor(30 * 60_000);
    expect(pace.reason).toBeUndefined();
    count(pushBack());
    expect(pace.reason).toBe('the service has only responded with HTTP status 429 for 30 minutes');
  });
});
