import './skip-settling';

import { readFileSync, writeFileSync } from 'node:fs';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import { ConnectionError, StatusError } from '../../src';
import { type BulkClient, openBulk, type RunOptions } from '../../src/bulk';
import { sendBatch } from '../../src/bulk/sending/send-batch';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { loopSize } from '../support/loops';
import { Random } from '../support/random';
import { csvOf, startService } from './support';

/** Fields that the columns of csvOf leave open. */
const fields = {
  sender: '3000',
  message: 'Hello {{name}}',
  unixdate: 0n,
  messagemode: 1,
  encoding: 0,
  fallbackurl: null,
};

const refuse = () => Promise.reject(new Error('the test does not expect this call'));
const noMethods: BulkClient = {
  sendSimple: refuse,
  sendArray: refuse,
  sendAdvance: refuse,
  select: async () => [],
  track: () => {
    throw new Error('the test does not expect this call');
  },
  selectLatestStream: async function* () {},
};

const lost = () =>
  new ConnectionError({ operation: 'SendAdvance', outcome: 'unknown', code: 'ECONNRESET', message: 'lost' });
const refused = (result?: bigint) =>
  new StatusError({ operation: 'SendAdvance', status: 412, statusmessage: 'no', result });

/** Moves both clocks, until the end of the test. */
function passTime(): (ms: number) => void {
  const [now, date] = [performance.now.bind(performance), Date.now.bind(Date)];
  let ahead = 0;
  const clocks = [
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead),
    jest.spyOn(Date, 'now').mockImplementation(() => date() + ahead),
  ];
  cleanUp(() => {
    for (const clock of clocks) clock.mockRestore();
  });
  return (ms) => {
    ahead += ms;
  };
}

const fast: RunOptions = { baselinePagesize: 1, stopAfterFailures: 0 };

async function runOnce(input: string, client: BulkClient, options: RunOptions, others: object = {}) {
  const bulk = await openBulk({ client, input, operation: 'sendAdvance', fields, ...others });
  try {
    await bulk.run({ ...fast, ...options });
    return [...bulk.rows()];
  } finally {
    await bulk.close();
  }
}

test('each row is one request, with an id of its own of 19 digits, which a retry changes', async () => {
  const { sandbox, client } = await startService();
  const { input } = csvOf(3);
  const idsSent: (string | null | undefined)[] = [];
  const recording: BulkClient = {
    ...noMethods,
    sendAdvance: async (request, options) => {
      idsSent.push(request.clientmessageid);
      if (idsSent.length === 2) throw refused();
      return client.sendAdvance(request, options);
    },
  };
  const bulk = await openBulk({ client: recording, input, operation: 'sendAdvance', fields });
  expect(await bulk.run({ baselinePagesize: 0 })).toMatchObject({ sent: 2, rejected: 1 });
  await bulk.retry({ all: true });
  expect(await bulk.run({ baselinePagesize: 0 })).toMatchObject({ sent: 3 });
  await bulk.close();
  expect(sandbox.messages).toHaveLength(3);
  const [first = ''] = idsSent;
  const list = (first as string).slice(0, 10);
  expect(list).toMatch(/^[1-8]\d{9}$/);
  expect([...idsSent].sort()).toEqual(['000000100', '000000200', '000000201', '000000300'].map((end) => list + end));
});

test('a row whose first request was refused gets another id, although it stays pending', async () => {
  const { client } = await startService();
  const { input } = csvOf(1);
  const ids: unknown[] = [];
  const refusing: BulkClient = {
    ...noMethods,
    sendAdvance: async (request, options) => {
      if (ids.push(request.clientmessageid) === 1) throw refused();
      return client.sendAdvance(request, options);
    },
  };
  for (let run = 0; run < 2; run++) await runOnce(input, refusing, { stopAfterFailures: 10, baselinePagesize: 0 });
  expect(ids).toHaveLength(2);
  expect(ids[0]).not.toBe(ids[1]);
});

test('a row is not repeated once the promise was withdrawn, nor by a clock that is behind the journal', async () => {
  const { input } = csvOf(1);
  let [requests, repeated] = [0, 0];
  const client: BulkClient = {
    ...noMethods,
    sendAdvance: async () => {
      requests += 1;
      throw lost();
    },
  };
  const run = (options: RunOptions) =>
    runOnce(input, client, { baselinePagesize: 0, onRepeat: (rows) => (repeated += rows), ...options });
  await run({ uniqueClientmessageid: 'always' });
  const first = requests;
  await run({ uniqueClientmessageid: 'never' });
  expect(requests).toBe(first);
  // The clock of the last opening was right, and is set back by a day afterwards.
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 86_400_000);
  cleanUp(() => clock.mockRestore());
  await run({ uniqueClientmessageid: 'always' });
  expect(requests).toBe(first);
  clock.mockRestore();
  repeated = 0;
  await run({ uniqueClientmessageid: 'always' });
  expect([requests > first, repeated]).toEqual([true, 1]);
});

test('a column gives the ids, and null sends none', async () => {
  const folder = makeFolder();
  const ids: unknown[] = [];
  const client: BulkClient = {
    ...noMethods,
    sendAdvance: async ({ clientmessageid }) => BigInt(ids.push(clientmessageid)),
  };
  const { input } = csvOf(1, folder);
  writeFileSync(input, 'receptor,name,clientmessageid\n09120000001,a,order-1\n');
  await runOnce(input, client, {});
  const other = csvOf(1).input;
  await runOnce(other, client, {}, { fields: { ...fields, clientmessageid: null } });
  expect(ids).toEqual(['order-1', null]);
});

test('what cannot go together is refused, and nothing is sent', async () => {
  const { input } = csvOf(1);
  const run = (options: RunOptions, others: object) => runOnce(input, noMethods, options, others);
  const unique = { uniqueClientmessageid: '24h' };
  await expect(run({}, { batchSize: 2 })).rejects.toThrow('batchSize: sendAdvance sends one row in a request');
  for (const others of [
    { fields: { ...fields, clientmessageid: 'a' } },
    { operation: 'sendSimple', fields: { sender: '3000', message: 'Hello', unixdate: 0n, msgmode: 1 } },
  ])
    await expect(run(unique, others)).rejects.toThrow(/^uniqueClientmessageid: the program has to make each/);
  for (const time of ['', '24', '0h', '1y', 'Always'])
    await expect(run({ uniqueClientmessageid: time }, {})).rejects.toThrow(/^uniqueClientmessageid: /);
});

test.each([
  [undefined, 'rejected'],
  [0n, 'rejected'],
  [7n, 'unknown'],
] as const)('a refusal with the result %s leaves the row %s', async (result, state) => {
  const client = { ...noMethods, sendAdvance: () => Promise.reject(refused(result)) };
  const values = ['3000', 'Hello', 0, '09120000001', 0n, 1, null, '1'];
  expect((await sendBatch(client, 'sendAdvance', [values], () => 1000)).outcome.t).toBe(state);
});

/** The id of a message from before the list. */
const BASELINE_ID = 5n;

/** What a provider does with a clientmessageid that it has seen. */
type Promised = 'kept' | 'kept for an hour' | 'refused' | 'another message' | 'not kept';

/** Plays a list at a provider that loses requests and responses, in several runs with hours between them. */
async function playProvider(seed: number, promised: Promised, time: string, pass: (ms: number) => void) {
  const random = new Random(seed);
  const rows = 2 + random.below(5);
  const { input, journal } = csvOf(rows);
  const sent: { readonly receptor: string; readonly id: bigint }[] = [];
  const known = new Map<string, { readonly id: bigint; readonly at: number }>();
  let isCalm = false;
  const sendAdvance: BulkClient['sendAdvance'] = async ({ receptor, clientmessageid: own }) => {
    const fate = isCalm ? 'none' : random.pick(['none', 'none', 'request', 'response', 'response', 'refusal'] as const);
    if (fate === 'request') throw lost();
    if (fate === 'refusal') throw refused();
    const before = known.get(own as string);
    const isKept = promised === 'kept' || (before !== undefined && Date.now() - before.at < 3_600_000);
    if (before && promised === 'refused') throw refused();
    if (before && promised === 'another message') return BASELINE_ID;
    if (before && promised !== 'not kept' && isKept) {
      if (fate === 'response') throw lost();
      return before.id;
    }
    const id = BigInt(1000 + sent.length);
    sent.push({ receptor: receptor as string, id });
    known.set(own as string, { id, at: Date.now() });
    if (fate === 'response') throw lost();
    return id;
  };
  // It lists its messages once, so that a list has a baseline, and a look-up decides nothing.
  let lists = 0;
  const selectLatestStream: BulkClient['selectLatestStream'] = async function* () {
    lists += 1;
    if (lists > 1) throw refused();
    yield { messageid: BASELINE_ID } as ApiSelect;
  };
  const client = { ...noMethods, sendAdvance, selectLatestStream };
  const runs = 1 + random.below(3);
  for (let run = 0; run < runs; run++) {
    await runOnce(input, client, { uniqueClientmessageid: time });
    pass(random.pick([0, 60_000, 1_800_000, 3_540_000, 7_200_000]));
  }
  isCalm = true;
  for (let run = 0; run < 2; run++) await runOnce(input, client, { uniqueClientmessageid: time });
  const states = await runOnce(input, client, { once: true });
  const timesSent = (receptor: string) => sent.filter((each) => each.receptor === receptor).length;
  const receptors = readFileSync(input, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[0] as string);
  return {
    twice: receptors.filter((receptor) => timesSent(receptor) > 1).length,
    untrue: states.filter(({ state, row, ids }) => {
      const own = sent.find(({ receptor }) => receptor === receptors[row - 1]);
      return state === 'sent' ? own?.id !== ids[0] : state === 'rejected' && own !== undefined;
    }).length,
    unknown: states.filter(({ state }) => state === 'unknown'),
    repeats: readFileSync(journal, 'utf8').split('"repeat":true').length - 1,
  };
}

const WORLDS = loopSize(60);

test.each([
  ['kept', 'always'],
  ['kept for an hour', '1h'],
  ['refused', 'always'],
  ['another message', 'always'],
] as const)(
  'where a repeated clientmessageid is %s, no row is sent twice or called sent when it was not',
  async (promised, time) => {
    const pass = passTime();
    let repeats = 0;
    for (let seed = 1; seed <= WORLDS; seed++) {
      const played = await playProvider(seed, promised, time, pass);
      expect({ seed, twice: played.twice, untrue: played.untrue }).toEqual({ seed, twice: 0, untrue: 0 });
      // Only a refusal of the repeat, or a row that was in three requests of one run before, ends the repeats.
      if (promised === 'kept')
        expect(played.unknown.filter(({ error }) => !error.startsWith('status 412'))).toEqual([]);
      repeats += played.repeats;
    }
    expect(repeats).toBeGreaterThan(WORLDS / 2);
  },
);

test('where the promise is not kept, rows are sent twice', async () => {
  const pass = passTime();
  let twice = 0;
  for (let seed = 1; seed <= 20 && twice === 0; seed++)
    twice += (await playProvider(seed, 'not kept', 'always', pass)).twice;
  expect(twice).toBeGreaterThan(0);
});
