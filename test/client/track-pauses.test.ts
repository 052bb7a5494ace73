import { ConnectionError } from '../../src';
import { type Tracking, track } from '../../src/client/track';
import { holdClock } from '../support/clock';
import { collect } from '../support/outcomes';

const FINAL = 10;

/** The lengths of the pauses in seconds, when the n-th request gives the n-th status, or fails for null. */
async function pausesAfter(
  statuses: readonly (number | null)[],
  more: Pick<Tracking, 'everyMs' | 'maxEveryMs'>,
): Promise<number[]> {
  const clock = holdClock();
  const times: number[] = [];
  const tracking: Tracking = {
    getStatus: async () => {
      const status = statuses[times.push(performance.now()) - 1] ?? null;
      if (status !== null) return [status];
      throw new ConnectionError({ outcome: 'not-sent', code: 'ECONNREFUSED', message: 'cannot connect' });
    },
    finalStatuses: new Set([FINAL]),
    batchSize: 500,
    withinMs: 0,
    signal: undefined,
    onFailure: undefined,
    ...more,
  };
  await clock.advanceUntilSettled(collect(track([1n], () => tracking)), 1000);
  return times.slice(1).map((time, index) => Math.round((time - (times[index] as number)) / 1000));
}

test('the pause doubles while nothing changes, up to maxEveryMs, and begins anew after a change', async () => {
  const pauses = await pausesAfter([1, 1, 1, 1, 1, 2, 2, FINAL], { everyMs: 5_000, maxEveryMs: 30_000 });
  expect(pauses).toEqual([5, 10, 20, 30, 30, 5, 10]);
});

test('the pause also doubles after a round that failed', async () => {
  expect(await pausesAfter([null, null, FINAL], { everyMs: 5_000, maxEveryMs: 60_000 })).toEqual([10, 20]);
});

test('a pause is never shorter than everyMs, even when maxEveryMs is', async () => {
  expect(await pausesAfter([1, 1, FINAL], { everyMs: 5_000, maxEveryMs: 1_000 })).toEqual([5, 5]);
});
