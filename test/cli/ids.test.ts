import type { OperationName } from '../../src';
import type { Sandbox } from '../../src/sandbox';
import { openSandbox } from '../support/sandbox';
import { environmentOf, messaging, type Outcome, shellWords } from './support';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await openSandbox();
});

const run = (line: string, more: Parameters<typeof messaging>[1] = {}): Promise<Outcome> =>
  messaging(shellWords(line), { environment: environmentOf(sandbox), ...more });

const FIELDS = '--message hi --unixdate 0';
const simple = `--sender 3000 ${FIELDS} --receptor 09120000001 09120000002 --msgmode 1`;
const array = `--sender 1 2 --message a b --receptor 09120000001 09120000002 --unixdate 0 --msgmode 1 1`;
const advance = `--sender 3000 ${FIELDS} --receptor 09120000001 --encoding 0 --messagemode 1 --omit fallbackurl clientmessageid`;

const ADVICE = 'look before you send again';

describe('a send whose ids do not fit its receptors prints what it got, and exits with 6', () => {
  const rows: readonly (readonly [string, OperationName, unknown, string, string])[] = [
    [`send-simple ${simple}`, 'SendSimpleByApikey', [5n], '5\n', '2 receptors, 1 id'],
    [`send-simple ${simple}`, 'SendSimpleByApikey', [], '', '2 receptors, 0 ids'],
    [`send-simple ${simple}`, 'SendSimpleByApikey', [5n, 6n, 7n], '5\n6\n7\n', '2 receptors, 3 ids'],
    [`send-simple ${simple}`, 'SendSimpleByApikey', [5n, 0n], '5\n0\n', '0 is no id'],
    [`send-simple ${simple}`, 'SendSimpleByApikey', [5n, -5n], '5\n-5\n', '-5 is no id'],
    [`send-simple ${simple}`, 'SendSimpleByApikey', [5n, 5n], '5\n5\n', '2 receptors, and the id 5 twice'],
    [`send-array ${array}`, 'SendArrayByApikey', [5n], '5\n', '2 receptors, 1 id'],
    [`send-advance ${advance}`, 'SendAdvance', 0n, '0\n', '0 is no id'],
    [
      `call SendSimpleByApikey ${simple}`,
      'SendSimpleByApikey',
      [5n],
      '{"result":["5"],"status":200,"statusmessage":"ok"}\n',
      '2 receptors, 1 id',
    ],
    [
      `call SendAdvance ${advance}`,
      'SendAdvance',
      -1n,
      '{"result":"-1","status":200,"statusmessage":"ok"}\n',
      '-1 is no id',
    ],
  ];
  test.each(rows)('%s', async (line, operation, result, stdout, words) => {
    sandbox.reply(operation, { result } as never);
    expect(await run(line)).toEqual({ code: 6, stdout, stderr: `error: ${operation}: ${words}: ${ADVICE}\n` });
  });
});

test('a send with an id for each receptor exits with 0, also for receptors of defaults', async () => {
  expect(await run(`send-simple ${simple}`)).toMatchObject({ code: 0, stderr: '' });
  expect(await run(`call SendArrayByApikey ${array}`)).toMatchObject({ code: 0 });
  const defaults = `--defaults '{"receptor":["09120000001","09120000002"]}'`;
  const line = `send-simple --sender 3000 ${FIELDS} --msgmode 1 ${defaults}`;
  expect(await run(line)).toMatchObject({ code: 0, stderr: '' });
  sandbox.reply('SendSimpleByApikey', { result: [5n] } as never);
  expect(await run(line)).toMatchObject({ code: 6 });
});

test('a status that is not a success comes before the ids', async () => {
  sandbox.reply('SendSimpleByApikey', { result: [], status: 418 } as never, { times: 2 });
  expect(await run(`send-simple ${simple}`)).toMatchObject({ code: 3 });
  expect(await run(`call SendSimpleByApikey ${simple}`)).toMatchObject({ code: 3 });
});

test.each([
  ['get-status 5 6', 'GetStatusByApikey', [1], '1\n', '2 ids, 1 status'],
  ['get-status 5', 'GetStatusByApikey', [1, 2], '1\n2\n', '1 id, 2 statuses'],
  ['cancel 5 6', 'CancelByApikey', [], '', '2 ids, 0 results'],
] as const)('%s says that a response has another number of values', async (line, operation, result, stdout, words) => {
  for (const columns of [0, 80]) {
    sandbox.reply(operation, { result } as never);
    expect(await run(line, { columns })).toEqual({
      ...{ code: 0, stdout },
      stderr: `warning: ${words}: nobody knows which belongs to which id\n`,
    });
  }
});
