import './skip-settling';

import { operations } from '../../generated/operations';
import { readBulk } from '../../src/bulk';
import type { Element } from '../../src/soap/element';
import { arm, given, prepare } from './cli-support';
import { sentTo } from './support';

const request = operations.SendSimpleByApikey.request as Element[];
const drop = { drop: 'after' } as const;

/** A list of five rows, of which one is sent, one refused, two are unknown and one is pending. */
async function beginWithOldContract() {
  const world = await prepare(5);
  const replies = [{ delayMs: 0 }, { status: 412, statusmessage: 'bad number' }, drop, drop] as const;
  arm(world.sandbox, 4, (n) => replies[n - 1] ?? drop);
  const limits = ['--concurrency', '1', '--stop-after-failures', '3', '--once'];
  await world.bulk('run', world.input, ...given, ...limits);
  world.sandbox.clearReplies();
  const { counts } = await readBulk(`${world.input}.journal`);
  expect(counts).toMatchObject({ sent: 1, rejected: 1, unknown: 2, pending: 1 });
  return world;
}

describe.each<[string, Element, number]>([
  ['an optional element', { name: 'campaign', kind: 'text', optional: true }, 0],
  ['an element that each row needs', { name: 'campaign', kind: 'text' }, 2],
])('a list that began before the contract had %s', (_, element, runCode) => {
  const { length } = request;
  afterEach(() => request.splice(length));

  test('is shown, looked up, decided and tracked as before', async () => {
    const { input, bulk } = await beginWithOldContract();
    request.push(element);
    expect((await bulk('status', input)).stderr).toMatch(/^2 unknown, 1 pending: /);
    const rows = (await bulk('results', input, '--output', 'csv')).stdout;
    expect(rows.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^receptor,name,/),
      expect.stringMatching(/,name 1,.*sent/),
      expect.stringMatching(/,name 2,.*rejected/),
    ]);
    expect(await bulk('resolve', input, '--row', '3', '--as', 'not-sent')).toMatchObject({ code: 0 });
    expect((await bulk('reconcile', input)).stderr).toMatch(/^1 row found, 0 not found$/m);
    expect((await bulk('track', input, '--within', '50ms', '--final-statuses', '9')).stderr).toMatch(/2 of 2 messages/);
  });

  test('is sent to its end when its rows can do without it', async () => {
    const { sandbox, input, bulk } = await beginWithOldContract();
    request.push(element);
    await bulk('retry', input, '--all');
    const { code, stderr } = await bulk('run', input);
    expect({ code, stderr }).toMatchObject({ code: runCode });
    if (runCode === 0) expect([...sentTo(sandbox).values()]).toEqual([1, 1, 1, 1, 1]);
    else expect(stderr).toMatch(/^campaign is missing: give it as a column or for all rows$/m);
  });
});
