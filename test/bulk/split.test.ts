import './skip-settling';

import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { openBulk, readBulk } from '../../src/bulk';
import type { Sandbox } from '../../src/sandbox';
import { environmentOf, messaging, type Outcome } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { isFull, loopSize } from '../support/loops';
import { programPath, startNode } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { commandsIn, given } from './cli-support';
import { clientOf, csvOf, damageOf, endOf, fields } from './support';

/** A service that refuses the requests with a receptor that ends in 9, and a list of so many rows. */
async function prepare(rows: number, refused = '9') {
  const sandbox = await openSandbox({
    delivery: { enabled: true, steps: [], receptors: [{ endsWith: refused, refuse: 412 }] },
  });
  const { input, journal } = csvOf(rows);
  const environment = environmentOf(sandbox);
  const bulk = (...args: string[]) => messaging(['bulk', ...args], { environment });
  return { sandbox, input, journal, environment, bulk, next: join(dirname(input), 'list-2.csv') };
}

/** The words of the printed command with this name. */
function printedCommand({ stderr }: Outcome, name: string): string[] {
  return commandsIn(stderr).find(([, command]) => command === name) ?? [];
}

function receptorsOf(sandbox: Sandbox): (string | undefined)[] {
  return sandbox.messages.map(({ receptor }) => receptor);
}

test('12 refused numbers are moved, corrected in the new file and sent, and both lists say so', async () => {
  const { sandbox, input, environment, bulk, next } = await prepare(120);
  const first = await bulk('run', input, ...given, '--stop-after-failures', '0');
  expect(first).toMatchObject({ code: 3, stderr: expect.stringContaining('108 of 120 rows sent, 12 rejected\n') });

  const split = await messaging(printedCommand(first, 'split'), { environment });
  expect(split).toMatchObject({ code: 0 });
  const service = `--base-url ${sandbox.baseUrl} --namespace ${sandbox.namespace} --success-statuses 200`;
  expect(split.stderr.split('\n')).toEqual([
    `12 rows moved to ${next}`,
    '108 of 120 rows sent, 12 moved',
    'all other rows are sent',
    `correct the moved rows, then send them: \`messaging bulk run ${next} --sender 3000 --message 'Hello {{name}}' --unixdate 0 --msgmode 1 ${service}\``,
    expect.stringMatching(/^ {2}a shell without the API key needs /),
    '',
  ]);
  writeFileSync(next, readFileSync(next, 'utf8').replaceAll(/^(0912\d{6})9,/gm, '$198,'));
  const sent = await messaging([...printedCommand(split, 'run'), '--yes'], { environment });
  expect(sent).toMatchObject({ code: 0, stderr: expect.stringContaining('12 of 12 rows sent\nall rows are sent\n') });

  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  expect(await bulk('status', input)).toMatchObject({ stdout: '108 of 120 rows sent, 12 moved\n' });
  expect(await bulk('status', next)).toMatchObject({ stdout: '12 of 12 rows sent\n' });
  const { stdout } = await bulk('results', input, '--state', 'moved', '--columns', 'receptor,result_row,result_reason');
  expect(stdout.split('\r\n').slice(0, 2)).toEqual([
    'receptor,result_row,result_reason',
    '09120000009,9,moved to list-2.csv',
  ]);
  expect(sandbox.messages).toHaveLength(120);
  expect(new Set(receptorsOf(sandbox)).size).toBe(120);
});

test('a list of which all rows were moved does not keep the new list from being sent', async () => {
  const { sandbox, input, environment, bulk } = await prepare(2);
  sandbox.reply('SendSimpleByApikey', { status: 418 }, { times: 2 });
  const refused = await bulk('run', input, ...given, '--stop-after-failures', '0');
  const split = await messaging(printedCommand(refused, 'split'), { environment });
  expect(await messaging([...printedCommand(split, 'run'), '--yes'], { environment })).toMatchObject({ code: 0 });
  expect(sandbox.messages).toHaveLength(2);
});

test.each([
  ['a later', '0000120', '102 of 152 rows sent, 50 rejected\n'],
  ['the first', '0000020', '102 of 152 rows sent, 50 rejected\n'],
])(
  'rows that were refused together in %s request are sent alone after a retry: one bad number of 152 stays',
  async (...[, bad, counts]) => {
    const { sandbox, input, environment, bulk } = await prepare(152, bad);
    const options = ['--sender', '3000', '--message', 'Hello', '--unixdate', '0', '--msgmode', '1', '--yes'];
    const refused = await bulk('run', input, ...options, '--batch-size', '50', '--stop-after-failures', '0');
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining(counts) });

    const retry = printedCommand(refused, 'retry');
    expect(retry.slice(3)).toEqual(['--status', '412']);
    const retried = await messaging(retry, { environment });
    const last = await messaging(printedCommand(retried, 'run'), { environment });
    expect(last).toMatchObject({ code: 3, stderr: expect.stringContaining('151 of 152 rows sent, 1 rejected\n') });
    expect(damageOf(sandbox, 152)).toEqual({ twice: 0, lost: 1 });
  },
);

test('a list of which something was sent cannot be changed, and the printed command moves the rest', async () => {
  const { sandbox, input, environment, bulk } = await prepare(20);
  await bulk('run', input, ...given, '--concurrency', '1', '--stop-after-failures', '1', '--batch-size', '1');
  const text = readFileSync(input, 'utf8');
  writeFileSync(input, text.replace('name 15', 'another name'));
  const changed = await bulk('run', input);
  expect(changed).toMatchObject({ code: 2, stderr: expect.stringContaining('restore the file, and move them') });
  expect(await messaging(printedCommand(changed, 'split'), { environment })).toMatchObject({ code: 2 });
  writeFileSync(input, text);

  const refused = await bulk('run', input, '--message', 'Dear {{name}}');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('to change the rows that are left, move') });
  const split = await messaging(printedCommand(refused, 'split'), { environment });
  const { counts } = await readBulk(`${input}.journal`);
  expect(counts).toMatchObject({ pending: 0, rejected: 0, moved: 20 - counts.sent });
  const next = printedCommand(split, 'run');
  const run = next.map((word) => (word === 'Hello {{name}}' ? 'Dear {{name}}' : word));
  await messaging([...run, '--yes', '--stop-after-failures', '0'], { environment });
  expect(damageOf(sandbox, 20)).toEqual({ twice: 0, lost: 2 });
});

test('a list of which everything was moved sends nothing, also when it would be begun anew', async () => {
  const { sandbox, input, bulk, next } = await prepare(3, '1');
  await bulk('run', input, ...given);
  expect(await bulk('split', input, '--state', 'pending,rejected', '--to', next)).toMatchObject({ code: 0 });
  expect(await bulk('run', input, ...given, '--message', 'other')).toMatchObject({ code: 2 });
  expect(await bulk('run', input)).toMatchObject({ code: 0, stderr: expect.stringContaining('3 moved\n') });
  expect(sandbox.messages).toHaveLength(0);
  expect(readFileSync(next, 'utf8').split('\n')).toHaveLength(5);
});

test('cells are moved as they are', async () => {
  const { input, bulk, next } = await prepare(1);
  const rows = [
    ['receptor', 'name', '2', 'a "b"'],
    ['19', 'x, "y"\nz', '  ', ''],
    ['29', 'سلام', '=1+1', '\n'],
  ];
  const cells = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','));
  writeFileSync(input, `\ufeff${cells.join('\r\n')}\r\n`);
  await bulk('run', input, ...given, '--stop-after-failures', '0');
  expect(await bulk('split', input, '--state', 'rejected', '--to', next)).toMatchObject({ code: 0 });
  const records: Record<string, string>[] = parse(readFileSync(next), { columns: true });
  const expected = rows.slice(1).map((row) => Object.fromEntries(row.map((cell, index) => [rows[0]?.[index], cell])));
  expect(records).toEqual(expected);
});

test.each<[string, string[], RegExp]>([
  ['a file that exists', ['--state', 'rejected', '--to', 'LIST'], /--to: .*list\.csv exists: name a new file/],
  ['the name of a file whose journal exists', ['--state', 'rejected', '--to', 'OLD'], /old\.csv\.journal exists/],
  ['a folder that does not exist', ['--state', 'rejected', '--to', 'LIST/x/y.csv'], /--to: ENO.*/],
  ['another state', ['--state', 'unknown', '--to', 'NEW'], /"unknown" is none of these states: pending, rejected/],
  ['a state that no row is in', ['--state', 'pending', '--to', 'NEW'], /no row of this list is pending/],
])('%s is refused, and nothing is moved', async (_, args, message) => {
  const { input, bulk } = await prepare(10);
  await bulk('run', input, ...given);
  const folder = dirname(input);
  writeFileSync(join(folder, 'old.csv.journal'), '');
  const paths = { LIST: input, OLD: join(folder, 'old.csv'), NEW: join(folder, 'new.csv') };
  const words = args.map((word) => word.replace(/^[A-Z]+/, (name) => paths[name as keyof typeof paths] ?? name));
  expect(await bulk('split', input, ...words)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  expect(await bulk('status', input)).toMatchObject({ stdout: '9 of 10 rows sent, 1 rejected\n' });
});

test('a list that another command has open is refused', async () => {
  const { sandbox, input, bulk, next } = await prepare(10);
  const open = await openBulk({ client: clientOf(sandbox), input, fields });
  cleanUp(() => open.close());
  await open.run({ once: true });
  expect(await bulk('split', input, '--state', 'rejected', '--to', next)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/is in use by process/),
  });
  expect(existsSync(next)).toBe(false);
});

test('the new file and its name are on the disk before the journal records the move', async () => {
  const { input, bulk, next } = await prepare(10);
  await bulk('run', input, ...given);
  const steps: string[] = [];
  const { open } = files;
  const spy = jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    const name = String(path) === dirname(next) ? 'folder' : String(path).startsWith(next) ? 'file' : 'journal';
    const { sync, write } = handle;
    if (name !== 'journal')
      handle.sync = async () => {
        await sync.call(handle);
        steps.push(`sync ${name}`);
      };
    if (flags === 'a')
      handle.write = (async (bytes: Uint8Array, offset: number) => {
        if (Buffer.from(bytes).includes('"t":"moved"')) steps.push('record');
        return write.call(handle, bytes as never, offset);
      }) as typeof write;
    return handle;
  });
  cleanUp(() => spy.mockRestore());
  expect(await bulk('split', input, '--state', 'rejected', '--to', next)).toMatchObject({ code: 0 });
  expect(steps.slice(steps.indexOf('sync file'))).toEqual(['sync file', 'sync folder', 'record', 'sync folder']);
});

/**
 * Counts the steps of a process that change files, and kills it in one of them: before it, after it, or when half of
 * the bytes are written. Without a step to kill in, it prints their number.
 */
const KILLER = `
const fs = require('node:fs'), files = require('node:fs/promises');
const at = Number(process.env.KILL_AT);
let steps = 0;
const die = () => process.kill(process.pid, 'SIGKILL');
const step = () => { steps += 1; if (steps === at) die(); };
const around = async (act) => { step(); const result = await act(); step(); return result; };
const { open, rename, rm } = files;
const { writeSync } = fs;
files.rename = (...args) => around(() => rename(...args));
files.rm = (...args) => around(() => rm(...args));
fs.writeSync = (fd, bytes, offset, length) => {
  if (fd < 3) return writeSync(fd, bytes, offset, length);
  step();
  const half = (length ?? bytes.length - offset) >> 1;
  if (steps + 1 === at) writeSync(fd, bytes, offset, half);
  step();
  const written = writeSync(fd, bytes, offset, length);
  step();
  return written;
};
files.open = async (...args) => {
  const isNew = args[1] === 'a' || args[1] === 'wx';
  const handle = isNew ? await around(() => open(...args)) : await open(...args);
  if (!isNew) return handle;
  const { write, sync, datasync } = handle;
  handle.sync = () => around(() => sync.call(handle));
  handle.datasync = () => around(() => datasync.call(handle));
  handle.write = async (bytes, offset) => {
    step();
    if (steps + 1 === at) await write.call(handle, bytes.subarray(0, offset + ((bytes.length - offset) >> 1)), offset);
    step();
    const result = await write.call(handle, bytes, offset);
    step();
    return result;
  };
  return handle;
};
process.on('exit', () => { if (!at) writeSync(1, steps + ' steps'); });
`;

if (isFull) jest.setTimeout(3_600_000);

test('a kill at every instant of a move leaves each row in one of the two lists, and the same command finishes it', async () => {
  const { sandbox, input, journal, environment, bulk } = await prepare(40);
  // Rows are sent, rejected and pending.
  await bulk('run', input, ...given, '--concurrency', '1', '--stop-after-failures', '3');
  const sentBefore = sandbox.messages.length;
  const killer = join(makeFolder(), 'killer.cjs');
  writeFileSync(killer, KILLER);
  const split = async (folder: string, at: number): Promise<string> => {
    const args = ['split', join(folder, 'list.csv'), '--state', 'pending,rejected', '--to', join(folder, 'next.csv')];
    const child = startNode(['-r', killer, programPath('messaging'), 'bulk', ...args], { KILL_AT: String(at) });
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      text += chunk;
    });
    const { signal } = await endOf(child);
    return signal ?? text;
  };
  const copy = (): string => {
    const folder = makeFolder();
    copyFileSync(input, join(folder, 'list.csv'));
    copyFileSync(journal, join(folder, 'list.csv.journal'));
    return folder;
  };
  const steps = Number(/(\d+) steps/.exec(await split(copy(), 0))?.[1]);
  expect(steps).toBeGreaterThan(20);
  const kills = loopSize(200);
  for (let kill = 0; kill < kills; kill++) {
    const killed = copy();
    // In a short loop, the steps are spread over the whole command.
    expect(await split(killed, 1 + (Math.floor((kill * steps) / Math.min(kills, steps)) % steps))).toBe('SIGKILL');
    // Somebody moves the folder before the command goes on.
    const folder = join(makeFolder(), 'moved');
    renameSync(killed, folder);
    const [list, next] = [join(folder, 'list.csv'), join(folder, 'next.csv')];
    // At this instant, a file that has its name has only rows that this list never sends.
    const { counts, unfinishedMove } = await readBulk(`${list}.journal`);
    const isNamed = existsSync(next);
    if (isNamed) expect(readFileSync(next, 'utf8').trimEnd().split('\n')).toHaveLength(counts.moved + 1);
    expect(unfinishedMove?.to).toBe(counts.moved > 0 && !isNamed ? next : undefined);
    if (!isNamed) expect(await split(folder, 0)).toMatch(/rows moved to/);
    else expect(await split(folder, 0)).toMatch(/exists: name a new file/);

    const moved = parse(readFileSync(next), { columns: true }) as { readonly receptor: string }[];
    const status = await readBulk(`${list}.journal`);
    const rows = [...status.rows('moved')].map(({ row }) => `0912${String(row).padStart(7, '0')}`);
    expect(moved.map(({ receptor }) => receptor)).toEqual(rows);
    expect(status.counts).toMatchObject({ sent: sentBefore, moved: 40 - sentBefore, pending: 0, rejected: 0 });
  }
  // Both lists go on, and each row is sent once or rejected.
  const folder = copy();
  await split(folder, Math.floor(steps / 2));
  await split(folder, 0);
  const run = (...args: string[]) => messaging(['bulk', 'run', ...args, '--stop-after-failures', '0'], { environment });
  await run(join(folder, 'list.csv'));
  await run(join(folder, 'next.csv'), ...given);
  expect(damageOf(sandbox, 40)).toEqual({ twice: 0, lost: 4 });
});
