import './skip-settling';

import { appendFileSync } from 'node:fs';
import { openBulk } from '../../src/bulk';
import { messaging } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { arm, commandsIn, given, prepare } from './cli-support';
import { changeClient, clientOf, damageOf, fields } from './support';

test('one command sends a list although responses are lost and requests are dropped', async () => {
  const { sandbox, input, bulk } = await prepare(60);
  arm(sandbox, 60, (n) => (n % 20 === 7 ? { drop: 'after' } : n % 20 === 13 ? { drop: 'before' } : { delayMs: 0 }));
  const { code, stderr } = await bulk('run', input, ...given, '--baseline-pagesize', '100', '--concurrency', '2');
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(
      /\nwaiting \d+ s for requests to settle\n3 rows found, 3 not found: they are pending again\n(.*left\n)?60 of 60 rows sent\nall rows are sent\n$/,
    ),
  ]);
  expect(damageOf(sandbox, 60)).toEqual({ twice: 0, lost: 0 });
});

test('a run ends when a row is lost again, and the next run tries it again', async () => {
  const { sandbox, input } = await prepare(30);
  const real = clientOf(sandbox);
  let attempts = 0;
  const client = changeClient(real, {
    sendSimple: async (request, options) => {
      if (request.receptor?.[0] !== '09120000010') return real.sendSimple(request, options);
      attempts += 1;
      throw new Error('the response is lost');
    },
  });
  const bulk = await openBulk({ client, input, fields });
  cleanUp(() => bulk.close());
  for (const expected of [2, 3]) {
    await bulk.run({ baselinePagesize: 100, concurrency: 1, stopAfterFailures: 0 });
    expect(attempts).toBe(expected);
    expect(bulk.status().counts).toMatchObject({ unknown: 1, sent: 29 });
  }
});

test('rows that only an operator can decide are listed with commands that record the decision', async () => {
  const { sandbox, input, environment, bulk } = await prepare(3);
  // Another row with the same receptor and text, but for a blank.
  appendFileSync(input, '09120000002,name  2\n');
  arm(sandbox, 4, (n) => (n === 2 ? { drop: 'after' } : n === 4 ? { drop: 'before' } : { delayMs: 0 }));
  const options = ['--baseline-pagesize', '100', '--concurrency', '1'];
  const run = await bulk('run', input, ...given, ...options);
  expect(run.code).toBe(6);
  for (const row of [2, 4])
    expect(run.stderr).toMatch(
      new RegExp(`\nrow ${row} to 09120000002 is undecided: another row has the same receptor and text`),
    );
  const [, sent = []] = commandsIn(run.stderr);
  expect(sent.slice(3)).toEqual(['--row', '2,4', '--as', 'sent']);
  expect(await bulk('resolve', input, '--row', '4', '--as', 'not-sent')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^1 row recorded as not sent: the next run sends it\n/),
  });
  const { messageid } = sandbox.messages.find(({ message }) => message === 'Hello name 2') ?? {};
  expect(await bulk('resolve', input, '--row', '2', '--as', 'sent', '--id', String(messageid))).toMatchObject({
    code: 0,
  });
  const status = await bulk('status', input);
  for (const command of commandsIn(status.stderr)) await messaging(command, { environment });
  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  expect(sandbox.messages).toHaveLength(4);
});
