import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../../../src';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox';
import { holdClock } from '../../support/clock';
import { makeFolder } from '../../support/folder';
import { loopSize } from '../../support/loops';
import { call, KEY, textOf, textsOf } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const FIRST = 9007199254740993n;
const HOUR = 3_600_000;
const MESSAGES = loopSize(100_000);

describe('simulated delivery', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });

  const start = (options: SandboxOptions = { delivery: true }) => openSandbox(options);
  const sendTo = (sandbox: Sandbox, receptors: readonly string[], unixdate = 0) => {
    const list = `<receptor>${receptors.map((one) => `<string>${one}</string>`).join('')}</receptor>`;
    const date = `<unixdate>${unixdate}</unixdate>`;
    return call(sandbox, '1.1', 'SendSimpleByApikey', `<apikey>${KEY}</apikey>${list}${date}`);
  };
  const statuses = (sandbox: Sandbox) => sandbox.messages.map(({ status, statustext }) => `${status} ${statustext}`);

  test('No status changes by itself unless the sandbox is told to simulate delivery', async () => {
    const sandbox = await start({});
    await sendTo(sandbox, ['1', '9905']);
    sandbox.advance(HOUR);
    expect(statuses(sandbox)).toEqual(['1 queued', '1 queued']);
  });

  test('A message is queued, is sent after a second and is delivered after three seconds', async () => {
    const clock = holdClock();
    const sandbox = await start();
    await sendTo(sandbox, ['09120000001']);
    await clock.advance(900);
    expect(statuses(sandbox)).toEqual(['1 queued']);
    await clock.advance(200);
    expect(statuses(sandbox)).toEqual(['4 sent']);
    await clock.advance(1_800);
    expect(statuses(sandbox)).toEqual(['4 sent']);
    await clock.advance(200);
    expect(statuses(sandbox)).toEqual(['10 delivered']);
    // Nothing is due any more.
    expect(jest.getTimerCount()).toBe(0);
  });

  test('Receptors that end in 9901 to 9904 fail in four ways', async () => {
    const sandbox = await start();
    await sendTo(sandbox, ['09120009901', '9902', '9903', '9904', '99010']);
    sandbox.advance(1_000);
    expect(statuses(sandbox)).toEqual(['4 sent', '6 failed', '14 blocked', '4 sent', '4 sent']);
    sandbox.advance(HOUR);
    expect(statuses(sandbox)).toEqual(['11 undelivered', '6 failed', '14 blocked', '4 sent', '10 delivered']);
  });

  test('A receptor that ends in 9905 refuses the whole call, and nothing is stored', async () => {
    const sandbox = await start();
    const key = `<apikey>${KEY}</apikey>`;
    const { body } = await sendTo(sandbox, ['09120000001', '09120009905']);
    expect([textOf(body, 'status'), textOf(body, 'statusmessage'), textsOf(body, 'long')]).toEqual([
      '411',
      'receptor 09120009905 is refused by the simulated delivery',
      [],
    ]);
    const one = await call(sandbox, '1.2', 'SendAdvance', `${key}<receptor>9905</receptor>`);
    expect([textOf(one.body, 'status'), textOf(one.body, 'SendAdvanceResult')]).toEqual(['411', '0']);
    const lists = ['sender', 'message', 'receptor'].map((name) => `<${name}><string>9905</string></${name}>`).join('');
    const array = await call(sandbox, '1.1', 'SendArrayByApikey', `${key}${lists}<msgmode><int>1</int></msgmode>`);
    expect(textOf(array.body, 'status')).toBe('411');
    const credit = await call(sandbox, '1.1', 'RemainCreditByApiKey', key);
    expect(textOf(credit.body, 'RemainCreditByApiKeyResult')).toBe('9007199254740995');
    expect(sandbox.messages).toEqual([]);
  });

  test('A status that is set by hand, or a cancellation, ends the simulation for its message', async () => {
    const sandbox = await start();
    await sendTo(sandbox, ['1', '2', '3']);
    sandbox.setStatus(FIRST, 1);
    await call(
      sandbox,
      '1.1',
      'CancelByApikey',
      `<apikey>${KEY}</apikey><messageid><long>${FIRST + 1n}</long></messageid>`,
    );
    sandbox.advance(HOUR);
    expect(statuses(sandbox)).toEqual(['1 queued', '13 canceled', '10 delivered']);
  });

  test('The steps of a scheduled message count from its date', async () => {
    const sandbox = await start();
    await sendTo(sandbox, ['1'], Math.floor(Date.now() / 1000) + 7_200);
    sandbox.advance(HOUR);
    expect(statuses(sandbox)).toEqual(['2 scheduled']);
    sandbox.advance(HOUR + 10_000);
    expect(statuses(sandbox)).toEqual(['10 delivered']);
  });

  test('The setting takes steps and receptors of its own, and a message takes every step in order', async () => {
    holdClock();
    const sandbox = await start({
      delivery: {
        steps: [
          { afterMs: 0, status: 7 },
          { afterMs: 50, status: 8, statustext: 'eight' },
        ],
        receptors: [{ endsWith: '5', steps: [] }],
      },
    });
    await sendTo(sandbox, ['1', '15']);
    sandbox.advance(1);
    expect(statuses(sandbox)).toEqual(['7 ', '1 queued']);
    sandbox.advance(HOUR);
    expect(statuses(sandbox)).toEqual(['8 eight', '1 queued']);
  });

  test(`${MESSAGES} messages are delivered with one timer`, async () => {
    const clock = holdClock();
    const sandbox = await start();
    await sendTo(
      sandbox,
      Array.from({ length: MESSAGES - 1 }, () => '1'),
    );
    // The other timers are those of the server.
    const timers = jest.getTimerCount();
    await sendTo(sandbox, ['1']);
    expect(jest.getTimerCount()).toBe(timers);
    await clock.advance(1_100);
    expect(sandbox.messages.filter(({ status }) => status === 4)).toHaveLength(MESSAGES);
    await clock.advance(2_100);
    expect(sandbox.messages.filter(({ status }) => status === 10)).toHaveLength(MESSAGES);
  });

  test('With a data file the simulation goes on after a restart, with the setting that was in force', async () => {
    const data = join(folder, 'data.jsonl');
    const setting = {
      steps: [
        { afterMs: 2_000, status: 4 },
        { afterMs: 2 * HOUR, status: 10 },
      ],
      receptors: [],
    };
    let sandbox = await start({ data, delivery: setting });
    await sendTo(sandbox, ['1', '2', '3']);
    sandbox.setStatus(FIRST, 1);
    sandbox.advance(HOUR);
    await sandbox.close();
    sandbox = await start({ data });
    expect(statuses(sandbox)).toEqual(['1 queued', '4 sent', '4 sent']);
    sandbox.advance(HOUR);
    expect(statuses(sandbox)).toEqual(['1 queued', '10 delivered', '10 delivered']);
    // This start has no setting of its own, so a reset switches the simulation off.
    sandbox.reset();
    await sendTo(sandbox, ['1']);
    await sandbox.close();
    sandbox = await start({ data });
    sandbox.advance(HOUR * 3);
    expect(statuses(sandbox)).toEqual(['1 queued']);
    await sandbox.close();
    // The setting is given again.
    sandbox = await start({ data, delivery: true });
    sandbox.advance(0);
    expect(statuses(sandbox)).toEqual(['10 delivered']);
    sandbox.reset();
    await sendTo(sandbox, ['9902']);
    sandbox.advance(1_000);
    expect(statuses(sandbox)).toEqual(['6 failed']);
    const changes = () => readFileSync(data, 'utf8').replaceAll(/^.*"t":"open".*$|\n/gm, '');
    const text = changes();
    await sandbox.close();
    await start({ data, delivery: true });
    expect(changes()).toBe(text);
  });

  test.each<[unknown, string]>([
    [{ enabled: 1 }, 'delivery.enabled: 1 is neither true nor false'],
    [{ steps: {} }, 'delivery.steps: a list is needed'],
    [{ steps: [{ status: 1 }] }, 'delivery.steps[0].afterMs: missing'],
    [{ steps: [{ afterMs: -1, status: 1 }] }, 'delivery.steps[0].afterMs: -1 is not a whole number'],
    [
      {
        steps: [
          { afterMs: 5, status: 1 },
          { afterMs: 5, status: 2 },
        ],
      },
      'steps[1].afterMs: must be later',
    ],
    [
      { steps: [{ afterMs: 5, status: 2 ** 40 }] },
      'steps[0].status: 1099511627776 is not a whole number from -2147483648 to 2147483647',
    ],
    [{ steps: [{ afterMs: 5, status: 1, statustext: 1 }] }, 'steps[0].statustext: 1 is not a string'],
    [{ receptors: [{ endsWith: '', refuse: 1 }] }, 'receptors[0].endsWith: a text that is not empty is needed'],
    [{ receptors: [{ endsWith: '1' }] }, 'receptors[0]: needs either steps or refuse'],
    [{ receptors: [{ endsWith: '1', steps: [], refuse: 1 }] }, 'receptors[0]: needs either steps or refuse'],
    [
      { receptors: [{ endsWith: '1', refuse: '1' }] },
      'receptors[0].refuse: "1" is not a whole number from -2147483648 to 2147483647',
    ],
    [{ step: [] }, 'delivery.step: no such field (fields: enabled, steps, receptors)'],
    ['yes', 'delivery: an object is needed'],
  ])('startSandbox refuses the delivery %j', async (delivery, message) => {
    const started = start({ delivery } as never);
    await expect(started).rejects.toThrow(ConfigurationError);
    await expect(started).rejects.toThrow(message);
  });
});
