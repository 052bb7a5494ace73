import './skip-settling';

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { openBulk, readBulk } from '../../src/bulk';
import { messaging } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { gate } from '../support/clock';
import { makeFolder } from '../support/folder';
import { arm, commandsIn, given, prepare } from './cli-support';
import { changeClient, clientOf, fields, receptorOf, sentTo } from './support';

const withoutYes = given.slice(0, -1);

/** A list that was sent, and the path of a second file beside it. */
async function prepareSent(rows = 4) {
  const world = await prepare(rows);
  await world.bulk('run', world.input, ...given);
  const copy = join(dirname(world.input), 'copy.csv');
  return { ...world, copy };
}

const statesOf = async (file: string) => [...(await readBulk(`${file}.journal`)).rows()].map(({ state }) => state);
const twice = (sandbox: Parameters<typeof sentTo>[0]) => [...sentTo(sandbox).values()].filter((count) => count > 1);

describe('a copy of a list that was sent', () => {
  test('is refused where nobody can be asked, also with --yes, and names the option that sends again', async () => {
    const { sandbox, input, copy, bulk } = await prepareSent();
    copyFileSync(input, copy);
    for (const more of [[], ['--yes']]) {
      const { code, stderr } = await bulk('run', copy, ...withoutYes, ...more);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/All 4 rows were sent already \(list\.csv, \d+ \w+, at http/),
      ]);
      expect(stderr).toContain('--again sends them again');
      expect(commandsIn(stderr)).toEqual([]);
    }
    expect(existsSync(`${copy}.journal`)).toBe(false);
    expect(twice(sandbox)).toEqual([]);
  });

  test.each([
    ['in a list that was begun before, of which nothing was sent', []],
    ['with another batch size', ['--batch-size', '2']],
    ['with another operation', ['--operation', 'send-array']],
    ['with other limits', ['--start-within-ms', '4000', '--ids-in-order']],
  ])('is refused %s', async (_, more) => {
    const { sandbox, input, copy, bulk } = await prepare(2).then((world) => ({
      ...world,
      copy: join(dirname(world.input), 'copy.csv'),
    }));
    copyFileSync(input, copy);
    arm(sandbox, 1, () => ({ status: 411 }));
    if (more.length === 0) await bulk('run', copy, ...given);
    else sandbox.clearReplies();
    await bulk('run', input, ...given);
    expect(await bulk('run', copy, ...withoutYes, ...more, '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/All 2 rows (?:that are left )?were sent already/),
    });
    expect(twice(sandbox)).toEqual([]);
  });

  test('with a corrected cell sends only the corrected row with --others, and says which list has the others', async () => {
    const { sandbox, input, copy, bulk } = await prepareSent();
    writeFileSync(copy, readFileSync(input, 'utf8').replace(receptorOf(2), '09350000002'));
    const refused = await bulk('run', copy, ...given);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /3 of 4 rows were sent already .*--others sends the other rows, --again sends them again/,
      ),
    });
    const { code, stderr } = await bulk('run', copy, ...withoutYes, '--others');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('1 of 4 rows sent, 3 left out: they have this message from list.csv'),
    ]);
    expect(stderr).not.toContain('all rows are sent');
    expect(sandbox.messages).toHaveLength(5);
    expect(twice(sandbox)).toEqual([]);
    const results = await bulk('results', copy);
    expect(results.stdout).toMatch(
      /left-out,,"",has this message from list\.csv, \d+ \w+, at http|left-out,"","","has this message from list\.csv/,
    );
    // Nothing is asked about rows that were left out.
    expect(await bulk('run', copy)).toMatchObject({ code: 0 });
  });

  test('is sent again with --again, by this command only', async () => {
    const { sandbox, input, copy, bulk } = await prepareSent(3);
    copyFileSync(input, copy);
    arm(sandbox, 2, (n) => (n === 2 ? { drop: 'before' } : { delayMs: 0 }));
    await bulk('run', copy, ...withoutYes, '--again', '--concurrency', '1', '--stop-after-failures', '1', '--once');
    expect(await statesOf(copy)).toEqual(['sent', 'unknown', 'pending']);
    const next = await bulk('run', copy, '--once');
    expect(next).toMatchObject({ code: 2, stderr: expect.stringContaining('1 of 1 row that is left') });
    expect(sandbox.messages).toHaveLength(4);
  });

  test('is compared whatever the file is called and wherever its name leads', async () => {
    const { sandbox, input, bulk } = await prepareSent(2);
    const folder = dirname(input);
    const [renamed, linked] = [join(folder, 'renamed.csv'), join(folder, 'linked.csv')];
    linkSync(input, linked);
    renameSync(input, renamed);
    for (const file of [renamed, linked])
      expect(await bulk('run', file, ...given)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('All 2 rows'),
      });
    const elsewhere = makeFolder();
    symlinkSync(`${input}.journal`, join(elsewhere, 'old.journal'));
    const other = join(elsewhere, 'list.csv');
    copyFileSync(renamed, other);
    expect(await bulk('run', other, ...given)).toMatchObject({ code: 2, stderr: expect.stringContaining('(old,') });
    expect(twice(sandbox)).toEqual([]);
  });
});

test('a row that another list may have sent waits, and the step that decides it lets it be sent', async () => {
  const { sandbox, input, bulk } = await prepare(3);
  const copy = join(dirname(input), 'copy.csv');
  copyFileSync(input, copy);
  arm(sandbox, 3, (n) => (n === 2 ? { drop: 'before' } : { delayMs: 0 }));
  await bulk('run', input, ...given, '--concurrency', '1', '--once', '--baseline-pagesize', '0');
  const { code, stderr } = await bulk('run', copy, ...withoutYes, '--others');
  expect(code).toBe(5);
  expect(stderr).toContain(`1 row waits: row 2 of ${input} may have sent the message`);
  expect(await statesOf(copy)).toEqual(['left-out', 'pending', 'left-out']);
  expect(commandsIn(stderr)).toContainEqual(['bulk', 'status', input]);
  await bulk('resolve', input, '--row', '2', '--as', 'not-sent');
  expect(await bulk('run', copy)).toMatchObject({ code: 0 });
  expect(await bulk('run', input)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('1 of 1 row that is left'),
  });
  expect([...sentTo(sandbox).values()]).toEqual([1, 1, 1]);
});

test('rows are counted: two equal rows beside one that was sent are one row that somebody has', async () => {
  const { sandbox, input, bulk } = await prepareSent(1);
  const text = readFileSync(input, 'utf8');
  const [, row = ''] = text.trim().split('\n');
  const copy = join(dirname(input), 'copy.csv');
  writeFileSync(copy, `${text}${row}\n`);
  expect(await bulk('run', copy, ...given)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('1 of 2 rows was sent'),
  });
  expect(await bulk('run', copy, ...withoutYes, '--others')).toMatchObject({ code: 0 });
  expect(sandbox.messages).toHaveLength(2);
});

test('a list is refused while another process sends its messages', async () => {
  const { sandbox, input, environment } = await prepare(2);
  const copy = join(dirname(input), 'copy.csv');
  copyFileSync(input, copy);
  const [client, sending, going] = [clientOf(sandbox), gate(), gate()];
  const slow = changeClient(client, {
    sendSimple: async (...request) => {
      sending.open();
      await going.opened;
      return client.sendSimple(...request);
    },
  });
  const other = await openBulk({ client: slow, input, fields });
  cleanUp(() => other.close());
  const running = other.run({ baselinePagesize: 0 });
  await sending.opened;
  const { code, stderr } = await messaging(['bulk', 'run', copy, ...given], { environment });
  going.open();
  await running;
  expect([code, stderr]).toEqual([
    5,
    expect.stringContaining(`${input} is being sent by process ${process.pid}, and has messages of this list`),
  ]);
  expect(existsSync(`${copy}.journal`)).toBe(false);
});

describe('a journal of the folder', () => {
  test.each([
    ['of another kind is skipped', '{"t":"open","v":1,"kind":"inbox","opening":"a","pid":1,"host":"x","start":null}\n'],
    ['of another program is skipped', `\u0000\u0001LPKSHHRH${'x'.repeat(100_000)}\n`],
    ['that is empty is skipped', ''],
  ])('%s', async (_, text) => {
    const { input, bulk } = await prepare(1);
    writeFileSync(join(dirname(input), 'other.journal'), text);
    expect(await bulk('run', input, ...given)).toMatchObject({ code: 0 });
  });

  test('that is damaged, or of another version, is named, and left out by --without from then on', async () => {
    const { sandbox, input, copy, bulk } = await prepareSent(2);
    const journal = readFileSync(`${input}.journal`, 'utf8');
    copyFileSync(input, copy);
    for (const text of [journal.replace('{"t":"list"', '"t":"list"'), journal.replace('"v":1', '"v":9')]) {
      writeFileSync(`${input}.journal`, text);
      const { code, stderr } = await bulk('run', copy, ...given);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--without list.csv.journal goes on without it')]);
      expect(await bulk('run', copy, ...given, '--again')).toMatchObject({ code: 2 });
    }
    arm(sandbox, 2, (n) => (n === 2 ? { status: 418 } : { delayMs: 0 }));
    const more = ['--without', 'list.csv.journal', '--concurrency', '1'];
    expect(await bulk('run', copy, ...given, ...more)).toMatchObject({ code: 3 });
    await bulk('retry', copy, '--all');
    expect(await bulk('run', copy)).toMatchObject({ code: 0 });
  });
});

test('a row that was left out can be sent after retry, and the run asks about it', async () => {
  const { sandbox, input, copy, bulk } = await prepareSent(2);
  copyFileSync(input, copy);
  appendFileSync(copy, '09350000001,new\n');
  await bulk('run', copy, ...withoutYes, '--others');
  expect(await bulk('retry', copy, '--row', '2')).toMatchObject({ code: 0 });
  expect(await bulk('run', copy)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('1 of 1 row that is left'),
  });
  expect(await bulk('run', copy, '--again')).toMatchObject({ code: 0 });
  expect(sentTo(sandbox).get(receptorOf(2))).toBe(2);
});

test('a dry run says what a run would ask, with the first rows', async () => {
  const { sandbox, input, copy, bulk } = await prepareSent(4);
  writeFileSync(copy, readFileSync(input, 'utf8').replace(receptorOf(2), '09350000002'));
  const { stderr } = await bulk('run', copy, ...withoutYes, '--dry-run');
  expect(stderr).toMatch(/a run asks: 3 of 4 rows were sent already \(list\.csv, .*\): rows 1, 3-4/);
  expect(existsSync(`${copy}.journal`)).toBe(false);
  expect(sandbox.messages).toHaveLength(4);
});

describe('the library', () => {
  test('compares with the journals that it is given, and refuses unless it says what becomes of messages', async () => {
    const { sandbox, input, journal } = await prepareSent(3);
    const client = clientOf(sandbox);
    const rows = [1, 2, 3, 4].map((row) => ({ receptor: receptorOf(row), name: `name ${row}` }));
    const options = { client, input: rows, fields, others: [journal] };
    const open = (more: object) => openBulk({ ...options, journal: join(makeFolder(), 'a.journal'), ...more });
    const refused = await open({});
    await expect(refused.run()).rejects.toMatchObject({
      name: 'InputError',
      count: 3,
      message: expect.stringContaining('3 of 4 rows were sent already'),
    });
    const others = await open({ again: 'leave out' });
    expect(await others.run()).toMatchObject({ sent: 1, 'left-out': 3 });
    const all = await open({ again: 'send', others: [journal] });
    expect(await all.run()).toMatchObject({ sent: 4 });
    for (const bulk of [refused, others, all]) await bulk.close();
    await expect(open({ others: [`${input}.gone`] }).then((bulk) => bulk.run())).rejects.toMatchObject({
      code: 'unusable',
    });
    // Without others, nothing is compared.
    const alone = await openBulk({ client, input: rows, fields, journal: join(makeFolder(), 'b.journal') });
    expect(await alone.run()).toMatchObject({ sent: 4 });
    await alone.close();
  });

  test('two lists that begin at the same time do not both send', async () => {
    const { sandbox } = await prepare(1);
    const client = clientOf(sandbox);
    const folder = makeFolder();
    const rows = [{ receptor: receptorOf(1), name: 'a' }];
    // Each has looked at the other lists before the other one is written.
    let waiting = 0;
    let go: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      go = resolve;
    });
    const begin = async (name: string) => {
      const journal = join(folder, `${name}.journal`);
      const bulk = await openBulk({ client, input: rows, fields, journal, others: 'folder' });
      const onBegin = async () => {
        waiting += 1;
        if (waiting === 2) go();
        await both;
      };
      const result = await bulk.run({ onBegin, baselinePagesize: 0 });
      await bulk.close();
      return result;
    };
    const results = await Promise.all([begin('a'), begin('b')]);
    expect(sandbox.messages.length).toBeLessThanOrEqual(1);
    for (const { pending, stopped } of results)
      if (pending === 1) expect(stopped).toContain('somebody else began to send');
  });
});
