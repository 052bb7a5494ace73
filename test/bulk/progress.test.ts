import './skip-settling';

import type { Context } from '../../src/cli/commander/command';
import { BulkProgress, PUSHED_BACK, SETTLING } from '../../src/cli/commands/bulk/progress';
import { Capture } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { given, prepare } from './cli-support';

describe('progress', () => {
  const counts = { total: 100_000, pending: 100_000, 'under-way': 0, unknown: 0, sent: 0, rejected: 0, 'left-out': 0 };

  function progressOn(columns: number) {
    jest.useFakeTimers();
    cleanUp(() => void jest.useRealTimers());
    const stderr = new Capture(columns);
    const log = (message: string) => void stderr.write(`${message}\n`);
    const progress = new BulkProgress({ io: { stderr }, log } as unknown as Context, counts);
    /** Sends rows for some seconds, at the same rate. */
    const send = (seconds: number, rows: number) => {
      for (let second = 1; second <= seconds; second++) {
        jest.advanceTimersByTime(1000);
        sent += rows;
        progress.show({ ...counts, sent, pending: counts.total - sent });
      }
    };
    let sent = 0;
    progress.show(counts);
    return { stderr, progress, send };
  }

  test('on a terminal is one line with rows, rate over 10 s, time left and counts', () => {
    const { stderr, progress, send } = progressOn(120);
    expect(stderr.text).toBe('\r0 of 100,000 rows done (0 %), 0/s, ? left; 100,000 pending');
    send(100, 1);
    send(10, 100);
    jest.advanceTimersByTime(500);
    expect(stderr.text).toMatch(
      /\r1,100 of 100,000 rows done \(1 %\), 100\/s, 16:29 left; 1,100 sent, 98,900 pending *$/,
    );
    expect(stderr.text).not.toContain('\n');
    progress.end();
    expect(stderr.text).toMatch(/\r +\r$/);
  });

  test('anywhere else is a line a minute', () => {
    const { stderr, send } = progressOn(0);
    send(130, 10);
    expect(stderr.text.split('\n')).toEqual([
      '590 of 100,000 rows done (0 %), 10/s, 02:48:30 left; 590 sent, 99,410 pending',
      '1,190 of 100,000 rows done (1 %), 10/s, 02:44:41 left; 1,190 sent, 98,810 pending',
      '',
    ]);
  });

  test('shows a long wait while it lasts, which does not count as work', () => {
    const { stderr, progress, send } = progressOn(120);
    send(10, 100);
    progress.wait(60_000, SETTLING);
    const words = 'waiting 60 s for requests to settle';
    expect(stderr.text).toContain(`${words}\n`);
    jest.advanceTimersByTime(59_000);
    expect(stderr.text.slice(stderr.text.lastIndexOf('\r'))).toContain(
      `${words}; 1,000 of 100,000 rows done (1 %), 0/s`,
    );
    jest.advanceTimersByTime(1000);
    send(5, 100);
    jest.advanceTimersByTime(500);
    expect(stderr.text.slice(stderr.text.lastIndexOf('\r'))).toMatch(
      /^\r1,500 of 100,000 rows done \(1 %\), (9|10)\d\/s/,
    );
  });

  test('shows a service that pushes back each second, and prints it once', () => {
    const { stderr, progress, send } = progressOn(120);
    for (let second = 1; second <= 70; second++) {
      send(1, 40);
      progress.wait(1000, PUSHED_BACK);
    }
    const words = 'waiting 1 s because the service asks for fewer requests (HTTP 429)';
    expect(stderr.text.split(`${words}\n`)).toHaveLength(2);
    expect(stderr.text).toContain('40/s, ');
    expect(stderr.text.split(`\r${words}; `).length).toBeGreaterThan(60);
  });
});

test('a pause that the service asks for is printed, and the run ends with all rows sent', async () => {
  const { sandbox, input, bulk } = await prepare(3);
  sandbox.reply('SendSimpleByApikey', { http: { status: 429, headers: { 'retry-after': '1' } } });
  const { code, stderr } = await bulk('run', input, ...given);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /\nwaiting 1 s because the service asks for fewer requests \(HTTP 429\)\n3 of 3 rows sent\nall rows are sent\n$/,
  );
});
