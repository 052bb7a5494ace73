import { readFileSync } from 'node:fs';
import { type BulkClient, openBulk } from '../../src/bulk';
import type { Sandbox } from '../../src/sandbox';
import { openSandbox } from '../support/sandbox';
import { advanceClock, changeClient, clientOf, csvOf, fields, holdDate } from './support';

/** A client of an account, whose requests to some receptors are lost before they arrive. */
function losing(sandbox: Sandbox, lost: readonly string[]): BulkClient {
  const client = clientOf(sandbox);
  return changeClient(client, {
    sendSimple: (request, options) =>
      request.receptor?.some((each) => lost.includes(each))
        ? Promise.reject(new Error('lost'))
        : client.sendSimple(request, options),
  });
}

async function look(input: string, sandbox: Sandbox, account: string) {
  const bulk = await openBulk({ client: clientOf(sandbox), input, fields, account });
  advanceClock(60_000);
  const { found, notFound, undecided } = await bulk.reconcile();
  await bulk.close();
  return { found, notFound, reasons: undecided.map(({ reason }) => reason) };
}

const OTHER = /^another API key was given since it was sent/;

/** Sends a list in one account, with row 15 lost before it arrives. */
async function sendInFirstAccount() {
  const [first, second] = [await openSandbox(), await openSandbox()];
  const { input, journal } = csvOf(30);
  const client = losing(first, ['09120000015']);
  const bulk = await openBulk({ client, input, fields, account: 'key A' });
  expect(await bulk.run({ once: true, concurrency: 1 })).toMatchObject({ sent: 29, unknown: 1 });
  await bulk.close();
  return { first, second, input, journal };
}

test('the messages of another account decide no row, and those of the own account do', async () => {
  const { first, second, input, journal } = await sendInFirstAccount();
  // Last week, the other account sent the very message of the row that is unknown.
  await clientOf(second).sendSimple({ ...fields, message: 'Hello name 15', receptor: ['09120000015'] });
  expect(await look(input, second, 'key B')).toEqual({
    found: 0,
    notFound: 0,
    reasons: [expect.stringMatching(OTHER)],
  });
  expect(await look(input, first, 'key A')).toEqual({ found: 0, notFound: 1, reasons: [] });
  expect(readFileSync(journal, 'utf8')).not.toMatch(/key [AB]/);
});

test('a key may be renewed: a message that was sent with the earlier one shows that the account is the same', async () => {
  holdDate();
  const { first, input } = await sendInFirstAccount();
  // The baseline was listed with the earlier key, and counts for nothing.
  const { reasons } = await look(input, first, 'key A, renewed');
  expect(reasons).toEqual([expect.stringMatching(/^the list of the service may end within the second/)]);
});

test('a row that may have been sent in two accounts is decided by neither of them', async () => {
  const { first, second, input } = await sendInFirstAccount();
  const open = async (sandbox: Sandbox, account: string) =>
    openBulk({ client: losing(sandbox, ['09120000015']), input, fields, account });
  const again = await open(second, 'key B');
  // The operator is wrong.
  await again.resolve({ ranges: [[15, 15]], as: 'not-sent' });
  expect(await again.run({ once: true, concurrency: 1 })).toMatchObject({ sent: 29, unknown: 1 });
  await again.close();
  for (const [sandbox, key] of [
    [second, 'key B'],
    [first, 'key A'],
  ] as const)
    expect(await look(input, sandbox, key)).toMatchObject({
      found: 0,
      notFound: 0,
      reasons: [expect.stringMatching(OTHER)],
    });
});
