import { readBulk } from '../../src/bulk';
import { arm } from './cli-support';
import { makeWorld } from './next-steps-support';

const ok = { delayMs: 0 };

test('a run without options keeps the rate of the run before, until it is switched off', async () => {
  const { sandbox, input, begin, bulk } = await makeWorld();
  arm(sandbox, 2, (n) => (n === 2 ? { drop: 'before' } : ok));
  await begin('--stop-after-failures', '1', '--rows-per-second', '4', '--once');
  const started = performance.now();
  await bulk('run', input, '--once');
  // Four rows are left. The first delay of 200 ms is made up for.
  expect(performance.now() - started).toBeGreaterThan(500);
  const { settings } = await readBulk(`${input}.journal`);
  expect(settings).toMatchObject({ rowsPerSecond: '4', concurrency: '1' });
  expect(settings).not.toHaveProperty('stopAfterFailures');
  await bulk('run', input, '--once', '--rows-per-second', 'off');
  expect((await readBulk(`${input}.journal`)).settings.rowsPerSecond).toBe('off');
});
