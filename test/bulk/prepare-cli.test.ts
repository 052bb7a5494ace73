import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentOf, messaging, shellWords, startProcess } from '../cli/support';
import { makeFolder } from '../support/folder';
import { isFull } from '../support/loops';
import { outcomeOf, programPath, ROOT, startNode } from '../support/process';
import { openSandbox } from '../support/sandbox';

const lines = [
  'Name;Mobile;Mobile;sender',
  'علی;09121234567;x;3000',
  'Sara;9.12E+09;;3000',
  'Mina;02112345678;;3000',
  'Omid;۰۹۱۲۱۲۳۴۵۶۷;;3000',
  'Reza;09121234568;;3000',
  'Nima;;;',
  ';;;',
];

function exportIn(folder: string, rows: readonly string[] = lines): string {
  const path = join(folder, 'export.csv');
  writeFileSync(path, `${rows.join('\r\n')}\r\n`);
  return path;
}

const iran = ['--receptor-column', 'Mobile', '--country', 'IR', '--receptor-format', 'national'];

test('prepare says what it has written and left out, and the next commands', async () => {
  const folder = join(makeFolder(), "it's $1");
  mkdirSync(folder);
  const to = join(folder, 'list.csv');
  writeFileSync(join(folder, 'stop.csv'), '+989121234568\n09121234560\n');
  writeFileSync(join(folder, 'none.csv'), 'receptor\n');
  const excluded = ['--unique', 'receptor', '--exclude', join(folder, 'stop.csv'), join(folder, 'none.csv')];
  const { code, stdout, stderr } = await messaging([
    'bulk',
    'prepare',
    exportIn(folder),
    '--to',
    to,
    ...iran,
    ...excluded,
  ]);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr.split('\n')).toEqual([
    'columns of the list: receptor, Name, Mobile_2, sender',
    'sender is a field of the message: its values are sent; --columns picks columns',
    '1 row that may get no SMS:',
    '  line 4: 02112345678 (not a mobile number)',
    `2 receptors read from ${join(folder, 'stop.csv')}`,
    `0 receptors read from ${join(folder, 'none.csv')}`,
    `2 rows written to ${to}`,
    `4 rows left out, in ${join(folder, 'list.left-out.csv')}:`,
    '  1 row: the receptor is a number that a spreadsheet has shortened',
    '  1 row: an earlier row has the same receptor',
    `  1 row: the receptor is in ${join(folder, 'stop.csv')}`,
    '  1 row: the receptor is empty',
    `to send them: correct this file, delete the rows that stay out, and prepare it with the same options and --exclude ${to}`,
    `send the list: \`messaging bulk run '${to.replace("'", `'\\''`)}'\`, which needs --message, --unixdate, --msgmode or defaults`,
    '',
  ]);
});

test('the command that is printed sends the list, and the corrected rows are sent as the last lines say', async () => {
  const sandbox = await openSandbox();
  const environment = environmentOf(sandbox);
  const fields = ['--message', 'hi', '--unixdate', '0', '--msgmode', '1', '--yes', '--baseline-pagesize', '0'];
  const folder = join(makeFolder(), "my 'lists' $1");
  mkdirSync(folder);
  const pathOf = (name: string) => join(folder, name);
  const send = async (args: readonly string[]) => {
    const { code, stderr } = await messaging(['bulk', 'prepare', ...args, ...iran, '--unique', 'receptor']);
    expect(code).toBe(0);
    const [, line = ''] = /^send the list: `(.*)`/m.exec(stderr) ?? [];
    expect(await messaging([...shellWords(line).slice(1), ...fields], { environment })).toMatchObject({ code: 0 });
  };
  await send([exportIn(folder), '--to', pathOf('list.csv')]);
  const leftOut = pathOf('list.left-out.csv');
  writeFileSync(leftOut, readFileSync(leftOut, 'utf8').replace('9.12E+09', '9121234569'));
  await send([leftOut, '--to', pathOf('list-2.csv'), '--exclude', pathOf('list.csv')]);
  expect(sandbox.messages.map(({ receptor }) => receptor).sort()).toEqual([
    '02112345678',
    '09121234567',
    '09121234568',
    '09121234569',
  ]);
});

test('mistakes are told by the names of options, and nothing is written', async () => {
  const folder = makeFolder();
  const path = exportIn(folder);
  const prepare = (...args: string[]) => messaging(['bulk', 'prepare', path, ...args]);
  expect(await prepare('--unique', 'x', '--country', 'Iran')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: --to: missing; --country: "Iran" is not a country code: give two letters, such as IR; ' +
      '--unique: "x" is neither "row" nor "receptor"\n',
  });
  expect(await prepare('--to', join(folder, 'list.csv'), '--columns', 'Name,Nme')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: --receptor-column: the file has no column "receptor" .*\n$/),
  });
  expect(await prepare('--to', join(folder, 'list.csv'), ...iran, '--columns', 'Name, Nme')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: --columns: the file has no column "Nme" \(columns: Name, .*\)\n$/),
  });
  expect(await messaging(['bulk', 'prepare', join(folder, 'none.csv'), '--to', join(folder, 'list.csv')])).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^the input cannot be read: ENOENT.*none.csv'\nerror: the file or its fields are wrong/,
    ),
  });
  expect(readdirSync(folder)).toEqual(['export.csv']);
});

test('a list that was prepared is accepted by run', async () => {
  const folder = makeFolder();
  const to = join(folder, 'list.csv');
  const columns = ['--columns', 'Name'];
  expect(await messaging(['bulk', 'prepare', exportIn(folder), '--to', to, ...iran, ...columns])).toMatchObject({
    code: 0,
  });
  const given = ['--sender', '3000', '--message', 'Hello {{Name}}', '--unixdate', '0', '--msgmode', '1', '--dry-run'];
  const { code, stderr } = await messaging(['bulk', 'run', to, ...given]);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^4 rows in 4 requests; nothing was sent\n/)]);
  expect(stderr).toContain('"message":"Hello علی"');
});

test('a kill at any instant leaves complete files or none', async () => {
  const folder = makeFolder();
  const rows = Array.from({ length: 3000 }, (_, index) => (index % 2 === 0 ? `n,0912${index}` : 'n,x'));
  const args = ['bulk', 'prepare', exportIn(folder, ['name,receptor', ...rows]), '--to', join(folder, 'list.csv')];
  const names = ['list.csv', 'list.left-out.csv'];
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const started = performance.now();
  expect(await outcomeOf(startProcess(args))).toMatchObject({ code: 0 });
  const ms = performance.now() - started;
  const [list, leftOut] = names.map(read);
  let incomplete = 0;
  const times = isFull ? 200 : 2;
  for (let time = 0; time < times; time++) {
    for (const name of readdirSync(folder)) if (name !== 'export.csv') rmSync(join(folder, name));
    const child = startProcess(args);
    const ended = once(child, 'close');
    await sleep((ms * time) / times);
    child.kill('SIGKILL');
    await ended;
    const found = names.filter((name) => readdirSync(folder).includes(name));
    if (found.length < 2) incomplete += 1;
    if (found.includes('list.csv')) expect(found).toEqual(names);
    expect(found.map(read)).toEqual(found.map((name) => (name === 'list.csv' ? list : leftOut)));
  }
  expect(incomplete).toBeGreaterThan(0);
});

test('SIGTERM ends the work without a file', async () => {
  const folder = makeFolder();
  const rows = Array.from({ length: 300_000 }, (_, index) => `0912${index},x`);
  const path = exportIn(folder, ['receptor,name', ...rows]);
  const child = startProcess(['bulk', 'prepare', path, '--to', join(folder, 'list.csv')]);
  const outcome = outcomeOf(child);
  while (readdirSync(folder).length === 1 && child.exitCode === null) await sleep(5);
  child.kill('SIGTERM');
  expect(await outcome).toMatchObject({ code: 143 });
  expect(readdirSync(folder)).toEqual(['export.csv']);
});

test('the rules of phone numbers are loaded only with a country, and the decoder only by prepare', async () => {
  const folder = makeFolder();
  const program = join(folder, 'messaging.js');
  copyFileSync(programPath('messaging'), program);
  const path = exportIn(folder, ['receptor', '09121234567']);
  const prepare = (name: string, ...args: string[]) =>
    outcomeOf(startNode([program, 'bulk', 'prepare', path, '--to', join(folder, name), ...args]));
  expect(await outcomeOf(startNode([program, 'bulk', '--help']))).toMatchObject({ code: 0 });
  expect(await prepare('1.csv')).toMatchObject({ code: 1, stderr: expect.stringContaining("package '@exodus/bytes'") });
  mkdirSync(join(folder, 'node_modules/@exodus'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules/@exodus/bytes'), join(folder, 'node_modules/@exodus/bytes'));
  expect(await prepare('1.csv')).toMatchObject({ code: 0 });
  expect(await prepare('2.csv', '--country', 'IR', '--receptor-format', 'national')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("package 'awesome-phonenumber'"),
  });
});

test('the rows that were left out are prepared again with the encoding, in which excluded receptors are read too', async () => {
  const folder = makeFolder();
  const latin = (name: string, text: string) => writeFileSync(join(folder, name), text, 'latin1');
  latin('export.csv', 'Name;Téléphone\nZoë;0912\nNoël;x\nAnaïs;0913\n');
  latin('stop.csv', 'Prénom;Téléphone\nAnaïs;0913\n');
  const options = [
    '--encoding',
    'windows-1252',
    '--receptor-column',
    'Téléphone',
    '--exclude',
    join(folder, 'stop.csv'),
  ];
  const prepare = (name: string, to: string, ...more: string[]) =>
    messaging(['bulk', 'prepare', join(folder, name), '--to', join(folder, to), ...options, ...more]);
  const { stderr } = await prepare('export.csv', 'list.csv', '--delimiter', ';');
  expect(stderr).toContain('prepare it with the same options without --delimiter\n');
  const leftOut = join(folder, 'list.left-out.csv');
  writeFileSync(leftOut, readFileSync(leftOut, 'utf8').replace(',x,', ',0914,'));
  expect(await prepare('list.left-out.csv', 'list-2.csv')).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, 'list-2.csv'), 'utf8')).toBe('receptor,Name\n0914,Noël\n');
});
