import './skip-settling';

import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openBulk, readBulk } from '../../src/bulk';
import { arm, commandsIn, given, prepare } from './cli-support';
import { clientOf, fields, receptorOf, sentTo } from './support';

const ok = { delayMs: 0 };
const refused = { status: 412, statusmessage: 'bad number' };

/** A list of which rows were sent; `change` edits its file. */
async function prepareSent(rows: number, reply: (n: number) => object = () => ok, ...more: string[]) {
  const world = await prepare(rows);
  arm(world.sandbox, rows, (n) => reply(n) as never);
  await world.bulk('run', world.input, ...given, '--concurrency', '1', '--stop-after-failures', '0', '--once', ...more);
  world.sandbox.clearReplies();
  const change = (edit: (text: string) => string) =>
    writeFileSync(world.input, edit(readFileSync(world.input, 'utf8')));
  const journals = () =>
    readdirSync(dirname(world.input))
      .filter((name) => name.endsWith('.journal'))
      .sort();
  return { ...world, change, journals };
}

const statesOf = async (file: string) => [...(await readBulk(`${file}.journal`)).rows()].map(({ state }) => state);

test('a corrected number and a new row are sent, and nobody else gets a second message', async () => {
  const { sandbox, input, bulk, change, journals } = await prepareSent(4, (n) => (n === 3 ? refused : ok));
  change((text) => `${text.replace(receptorOf(3), '09350000003')}09350000005,name 5\n`);
  const asked = await bulk('run', input);
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /list\.csv has changed: 2 new rows, 1 row was removed, 3 rows are as they were\n[\s\S]*3 of 5 rows were sent already \(list\.csv, /,
    ),
  });
  expect(journals()).toEqual(['list.csv.journal']);
  const [others = []] = commandsIn(asked.stderr);
  expect(others).toEqual(['bulk', 'run', input, '--others']);
  const { code, stderr } = await bulk(...others.slice(1));
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('2 of 5 rows sent, 3 left out: they have this message from list.csv'),
  ]);
  expect([...sentTo(sandbox).values()]).toEqual([1, 1, 1, 1, 1]);
  expect(journals()).toEqual([
    expect.stringMatching(/^list\.csv\.\d{4}-\d\d-\d\dT\d{6}Z\.journal$/),
    'list.csv.journal',
  ]);
  expect((await bulk('status', input)).stderr).toMatch(
    /earlier list list\.csv\.\S+, \d+ \w+: 3 of 4 rows sent, 1 rejected/,
  );
});

test('a refused row that has not changed stays refused, with its reason, until retry', async () => {
  const { sandbox, input, bulk, change } = await prepareSent(3, (n) => (n === 2 ? refused : ok));
  change((text) => `${text}09350000005,name 5\n`);
  await bulk('run', input, '--others');
  expect(await statesOf(input)).toEqual(['left-out', 'rejected', 'left-out', 'sent']);
  const { rows } = await readBulk(`${input}.journal`);
  expect([...rows('rejected')][0]).toMatchObject({ error: 'status 412 (bad number)', refusal: '412' });
  await bulk('retry', input, '--status', '412');
  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  expect([...sentTo(sandbox).values()]).toEqual([1, 1, 1, 1]);
});

describe('a text that was changed after it was sent', () => {
  async function prepareCorrected() {
    const world = await prepareSent(3);
    world.change((text) => text.replace('name 2', 'Dr name 2'));
    return world;
  }

  test('is asked about, and not sent unless somebody says so', async () => {
    const { sandbox, input, bulk } = await prepareCorrected();
    const { code, stderr } = await bulk('run', input, '--others');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /1 text was changed after it was sent, 2 rows are as they were\n[\s\S]*1 row is a corrected text: its person has the old one \(row 2\); --corrected send sends it, --corrected leave does not/,
      ),
    ]);
    expect(await bulk('run', input, '--others', '--corrected', 'leave')).toMatchObject({ code: 0 });
    expect(sandbox.messages).toHaveLength(3);
    const { rows } = await readBulk(`${input}.journal`);
    expect([...rows()][1]).toMatchObject({ state: 'left-out', error: 'has another text of this list' });
  });

  test('is sent with --corrected send', async () => {
    const { sandbox, input, bulk } = await prepareCorrected();
    expect(await bulk('run', input, '--others', '--corrected', 'send')).toMatchObject({ code: 0 });
    expect(sandbox.messages.map(({ message }) => message).sort()).toContain('Hello Dr name 2');
    expect(sandbox.messages).toHaveLength(4);
  });

  test('is asked about again when the file changes again', async () => {
    const { sandbox, input, bulk, change } = await prepareCorrected();
    await bulk('run', input, '--others', '--corrected', 'leave');
    change((text) => `${text}09350000005,name 5\n`);
    expect(await bulk('run', input, '--others')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 row is a corrected text'),
    });
    expect(await bulk('run', input, '--others', '--corrected', 'leave')).toMatchObject({ code: 0 });
    expect(sandbox.messages).toHaveLength(4);
  });

  test('of all rows, by another --message, is asked about for all persons', async () => {
    const { sandbox, input, bulk } = await prepareSent(3);
    expect(await bulk('run', input, '--message', 'Bye {{name}}', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('3 rows are corrected texts'),
    });
    expect(sandbox.messages).toHaveLength(3);
  });
});

test('while a row is unknown, a changed file is refused, and says where the row is now', async () => {
  const { sandbox, input, bulk, change } = await prepareSent(
    4,
    (n) => (n === 3 ? { drop: 'before' } : ok),
    '--baseline-pagesize',
    '0',
  );
  change((text) => text.replace(`${receptorOf(1)},name 1\n`, ''));
  for (const command of [
    ['run', input, '--others'],
    ['run', input, '--dry-run'],
    ['reconcile', input],
  ]) {
    const { code, stderr } = await bulk(...command);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`row 3 is unknown: it is row 2 (line 3) of the file now, to ${receptorOf(3)}`),
    ]);
  }
  const resolved = await bulk('resolve', input, '--row', '3', '--as', 'not-sent');
  expect(resolved.stderr).toContain(`row 3: it is row 2 (line 3) of the file now, to ${receptorOf(3)}`);
  expect(await bulk('run', input, '--others')).toMatchObject({ code: 0 });
  expect([...sentTo(sandbox).values()]).toEqual([1, 1, 1, 1]);
  expect(await statesOf(input)).toEqual(['left-out', 'sent', 'left-out']);
});

test('a row that was left out by the earlier list stays left out when the list that has its message is no longer there', async () => {
  const { sandbox, input, bulk, change } = await prepareSent(2);
  const { journal } = { journal: `${input}.journal` };
  change((text) => `${text}09350000005,name 5\n`);
  await bulk('run', input, '--others');
  for (const name of readdirSync(dirname(input)).filter((each) => /Z\.journal$/.test(each)))
    await files.rm(`${dirname(input)}/${name}`);
  change((text) => `${text}09350000006,name 6\n`);
  expect(await bulk('run', input, '--others')).toMatchObject({ code: 0 });
  expect(await statesOf(journal.replace(/\.journal$/, ''))).toEqual(['left-out', 'left-out', 'left-out', 'sent']);
  expect([...sentTo(sandbox).values()]).toEqual([1, 1, 1, 1]);
});

test('a message of the earlier list is not taken for that of a row', async () => {
  const { sandbox, input, bulk, change } = await prepareSent(3);
  const [first] = sandbox.messages.map(({ messageid }) => messageid);
  change((text) => `${text}09350000005,name 5\n`);
  arm(sandbox, 1, () => ({ drop: 'before' }));
  await bulk(
    'run',
    input,
    '--again',
    '--concurrency',
    '1',
    '--stop-after-failures',
    '1',
    '--baseline-pagesize',
    '0',
    '--once',
  );
  const resolved = await bulk('resolve', input, '--row', '1', '--as', 'sent', '--id', String(first));
  expect(resolved).toMatchObject({ code: 2, stderr: expect.stringContaining('was there before the list') });
  await bulk('run', input, '--again');
  expect(await statesOf(input)).not.toContain('pending');
});

test('a message that another list has sent is not taken for that of a row', async () => {
  const { sandbox, input, bulk } = await prepareSent(2, (n) => (n === 2 ? refused : ok));
  await bulk('retry', input, '--all');
  const other = join(dirname(input), 'other.csv');
  writeFileSync(other, `receptor,name\n${receptorOf(2)},name 2\n`);
  expect(await bulk('run', other, ...given)).toMatchObject({ code: 0 });
  arm(sandbox, 1, () => ({ drop: 'before' }));
  expect(await bulk('run', input, '--again')).toMatchObject({ code: 6 });
  expect(await statesOf(input)).toEqual(['sent', 'unknown']);
  const id = sandbox.messages.find(({ receptor }) => receptor === receptorOf(2))?.messageid;
  const resolved = await bulk('resolve', input, '--row', '2', '--as', 'sent', '--id', String(id));
  expect([resolved.code, resolved.stderr]).toEqual([2, expect.stringContaining(`another list has sent message ${id}`)]);
});

test('a program has to say what becomes of messages that somebody has', async () => {
  const { sandbox, input, change } = await prepareSent(2);
  change((text) => `${text}09350000005,name 5\n`);
  const client = clientOf(sandbox);
  await expect(openBulk({ client, input, fields })).rejects.toMatchObject({ code: 'changed' });
  const bulk = await openBulk({ client, input, fields, again: 'leave out' });
  expect(await bulk.run()).toMatchObject({ sent: 1, 'left-out': 2 });
  await bulk.close();
  expect(sandbox.messages).toHaveLength(3);
});

test('a file that another program is writing is refused before anything is sent', async () => {
  const { sandbox, input } = await prepareSent(2);
  appendFileSync(input, '09350000005,name 5\n');
  const bulk = await openBulk({ client: clientOf(sandbox), input, fields, again: 'leave out' });
  const onBegin = () => appendFileSync(input, '09350000006,name 6\n');
  await expect(bulk.run({ onBegin })).rejects.toMatchObject({
    name: 'InputError',
    message: expect.stringContaining('may be writing it'),
  });
  await bulk.close();
  expect(sandbox.messages).toHaveLength(2);
});

test('a list that another command changes while somebody is asked is refused', async () => {
  const { sandbox, input } = await prepareSent(2, (n) => (n === 2 ? refused : ok));
  appendFileSync(input, '09350000005,name 5\n');
  const options = { client: clientOf(sandbox), input, fields, again: 'leave out' } as const;
  const bulk = await openBulk(options);
  const onBegin = async () => {
    const other = await openBulk({ journal: `${input}.journal` });
    await other.retry({ all: true });
    await other.close();
  };
  await expect(bulk.run({ onBegin })).rejects.toMatchObject({
    code: 'changed',
    message: expect.stringContaining('while you were asked'),
  });
  await bulk.close();
  expect(sandbox.messages).toHaveLength(1);
});

test('another value of a field begins a new list, and no message is said to have changed', async () => {
  const { sandbox, input, bulk } = await prepareSent(2);
  for (const flags of [[], ['--dry-run']]) {
    const { stderr } = await bulk('run', input, '--sender', '3001', ...flags);
    expect(stderr).toMatch(/ or its fields have changed, but no message: 2 rows are as they were\n/);
  }
  expect(sandbox.messages).toHaveLength(2);
});

test('a list whose place another one has taken makes no row pending again', async () => {
  const { input, bulk, change, journals } = await prepareSent(2, (n) => (n === 2 ? refused : ok));
  change((text) => text.replace(receptorOf(2), '09350000002'));
  expect(await bulk('run', input, '--others')).toMatchObject({ code: 0 });
  const [earlier = ''] = journals();
  const list = await openBulk({ journal: join(dirname(input), earlier) });
  await expect(list.retry({ all: true })).rejects.toThrow(/a changed file has taken the place of this list/);
  await list.close();
  const { stderr } = await bulk('status', join(dirname(input), basename(earlier, '.journal')));
  expect(commandsIn(stderr)).toEqual([['bulk', 'run', input]]);
});

/** The calls that change the disk, of which one fails as if the process had ended there. */
const steps = ['open', 'link', 'rename', 'rm'] as const;

test('a replacement that ends anywhere is finished by the next run, and nobody gets a second message', async () => {
  for (let end = 1; ; end++) {
    const { sandbox, input, change, journals } = await prepareSent(3, (n) => (n === 2 ? refused : ok));
    change((text) => text.replace(receptorOf(2), '09350000002'));
    const options = { client: clientOf(sandbox), input, fields, again: 'leave out', others: 'folder' } as const;
    const first = await openBulk(options);
    let calls = 0;
    const spies = steps.map((name) => {
      const original = files[name] as (...args: unknown[]) => Promise<unknown>;
      return jest.spyOn(files, name).mockImplementation((async (...args: unknown[]) => {
        calls += 1;
        if (calls >= end) throw Object.assign(new Error('the process has ended'), { code: 'ENDED' });
        return original(...args);
      }) as never);
    });
    const isFinished = await first.run({ baselinePagesize: 0 }).then(
      () => true,
      () => false,
    );
    for (const spy of spies) spy.mockRestore();
    await first.close().catch(() => undefined);
    const journal = readFileSync(`${input}.journal`, 'utf8');
    expect(journal).toMatch(/^\{"t":"open"/);
    const second = await openBulk(options);
    expect(await second.run({ baselinePagesize: 0 })).toMatchObject({ pending: 0, unknown: 0, rejected: 0 });
    await second.close();
    expect(journals()).toHaveLength(2);
    expect([end, ...sentTo(sandbox).values()]).toEqual([end, 1, 1, 1]);
    if (isFinished) break;
  }
});
