import './skip-settling';

import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { formatStep } from '../../src/cli/commands/bulk/next-steps';
import { environmentOf, messaging } from '../cli/support';
import { makeFolder } from '../support/folder';
import { programPath, ROOT } from '../support/process';
import { arm, commandsIn, given, prepare } from './cli-support';
import { expectOnce, makeWorld, ROWS, type State, testFollowing } from './next-steps-support';
import { clientOf, receptorOf } from './support';

const ok = { delayMs: 0 };
const refused = { status: 412, statusmessage: 'bad number' };

const NOTHING_LEFT = 'nothing is left to do';

/** The states of a list without a queue. */
const states: readonly State[] = [
  [
    'the first request was refused',
    ({ sandbox, begin }) => {
      arm(sandbox, 1, () => ({ status: 403 }));
      return begin();
    },
  ],
  [
    'some rows are sent, at a limited rate',
    ({ sandbox, begin }) => {
      arm(sandbox, 3, (n) => (n === 3 ? { http: { status: 503 } } : ok));
      return begin('--stop-after-failures', '1', '--rows-per-second', '100');
    },
  ],
  [
    'rows are rejected',
    ({ sandbox, begin }) => {
      arm(sandbox, ROWS, (n) => (n % 2 === 0 ? refused : ok));
      return begin();
    },
  ],
  [
    'a row is unknown, which the service has',
    ({ sandbox, begin }) => {
      arm(sandbox, 3, (n) => (n === 3 ? { drop: 'after' } : ok));
      return begin('--once');
    },
  ],
  [
    'rows are undecided',
    ({ sandbox, begin }) => {
      arm(sandbox, ROWS, (n) => (n === 2 ? { drop: 'after' } : n === ROWS ? { drop: 'before' } : ok));
      return begin('--baseline-pagesize', '0');
    },
  ],
  [
    'a cell is broken after a part of the rows was sent',
    async ({ sandbox, begin, bulk, input }) => {
      arm(sandbox, 3, (n) => (n === 3 ? refused : ok));
      await begin('--stop-after-failures', '1');
      const text = readFileSync(input, 'utf8');
      writeFileSync(input, text.replace(receptorOf(6), 'none'));
      expect(await bulk('run', input)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('"none" has other characters than digits'),
      });
      writeFileSync(input, text);
      return bulk('status', input);
    },
  ],
  [
    'the key was wrong',
    async ({ sandbox, begin, bulk, input }) => {
      const wrong = join(dirname(input), 'wrong');
      writeFileSync(wrong, 'wrong-key', { mode: 0o600 });
      await begin('--api-key-file', wrong, '--baseline-pagesize', '0');
      writeFileSync(wrong, sandbox.apiKey);
      return bulk('status', input);
    },
  ],
  [NOTHING_LEFT, ({ begin }) => begin()],
];

testFollowing(states, { MESSAGING_PROFILE: 'gone' }, (followed, state) => {
  if (state !== NOTHING_LEFT) expect(followed.length).toBeGreaterThan(0);
});

test('a step whose words have a path with a percent sign has its command in its place', () => {
  const step = { words: 'row 1 of 50%.csv: % says more', command: ['status', '50%.csv'] };
  expect(formatStep(step, 'messaging')).toBe('row 1 of 50%.csv: `messaging bulk status 50%.csv` says more');
});

test('another base URL of a list that was sent in part is refused with both values and a command, before a key is needed', async () => {
  const world = await makeWorld();
  arm(world.sandbox, 3, (n) => (n === 3 ? refused : ok));
  await world.begin('--stop-after-failures', '1');
  const { code, stderr } = await world.bulk('run', world.input, '--base-url', 'http://127.0.0.1:9?k=secret');
  expect(code).toBe(2);
  expect(stderr).toContain(
    `--base-url: this list has "${world.sandbox.baseUrl}", and "http://127.0.0.1:9?k=***" was given`,
  );
  expect(commandsIn(stderr).map(([, name]) => name)).toEqual(['run']);
});

test('a list goes on at the new address of its provider, and unknown rows are looked up there', async () => {
  const { sandbox, input, begin, bulk } = await makeWorld(30);
  arm(sandbox, 20, (n) => (n === 10 ? { drop: 'after' } : n === 20 ? refused : ok));
  await begin('--once', '--baseline-pagesize', '0', '--stop-after-failures', '1');
  const address = ['--base-url', sandbox.baseUrl.replace('127.0.0.1', 'localhost')];
  const key = ['--api-key-file', join(dirname(input), 'key')];
  const { stderr } = await bulk('run', input, ...address, ...key);
  const [move = []] = commandsIn(stderr);
  expect(move.slice(-1)).toEqual(['--service-moved']);
  const moved = await messaging(move, { environment: {} });
  expect(moved.stderr).not.toContain('another API key');
  expect((await bulk('run', input)).stderr).not.toContain('was given');
  // Messages that were sent before are listed there, so it is the same account.
  const { stdout } = await bulk('results', input, '--state', 'unknown');
  expect(stdout).not.toContain('another API key');
  // The journal has the new address, and the earlier one is another service.
  const back = await bulk('run', input, '--base-url', sandbox.baseUrl, ...key);
  expect(back).toMatchObject({ code: 2, stderr: expect.stringMatching(/this list has "http:\/\/localhost:/) });
  for (const receptor of new Set(sandbox.messages.map((message) => message.receptor)))
    expect(sandbox.messages.filter((message) => message.receptor === receptor)).toHaveLength(1);
});

test('a list of which rows are in a queue does not move', async () => {
  const { input, begin, bulk, sandbox } = await makeWorld();
  arm(sandbox, 3, (n) => (n === 3 ? refused : ok));
  await begin('--stop-after-failures', '1');
  const journal = `${input}.journal`;
  const [line = ''] = readFileSync(journal, 'utf8').split('\n');
  const { opening } = JSON.parse(line);
  const queued = { t: 'intent', n: 10, range: [5, 5], at: 1, queued: true };
  const again = { ...JSON.parse(line), opening: `${opening}-2`, pid: 1_000_000_000 };
  appendFileSync(journal, `${JSON.stringify(again)}\n${JSON.stringify(queued)}\n{"t":"synced"}\n`);
  const key = ['--api-key-file', join(dirname(input), 'key')];
  expect(await bulk('run', input, '--base-url', 'http://127.0.0.1:9', ...key, '--service-moved')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('rows are in a queue, whose workers know the earlier service'),
  });
});

test('a lone API key of the variables is not sent to the service that a journal names', async () => {
  const { sandbox, input, begin, bulk } = await makeWorld();
  arm(sandbox, 1, () => ({ status: 403 }));
  await begin();
  const journal = `${input}.journal`;
  writeFileSync(journal, readFileSync(journal, 'utf8').replace(/"apiKeyFile":"[^"]*",?/g, ''));
  const before = sandbox.requests.length;
  const lone = await messaging(['bulk', 'run', input], { environment: { MESSAGING_API_KEY: sandbox.apiKey } });
  expect(lone).toMatchObject({ code: 2, stderr: expect.stringContaining('--api-key-file') });
  expect(sandbox.requests).toHaveLength(before);
  expect((await bulk('status', input)).stderr).toContain(
    `MESSAGING_API_KEY beside MESSAGING_BASE_URL=${sandbox.baseUrl}`,
  );
  expect(await messaging(['bulk', 'run', input], { environment: environmentOf(sandbox) })).toMatchObject({ code: 0 });
});

test('no other file of bulk spells one of its commands', () => {
  const folder = 'src/cli/commands/bulk';
  const files = [
    ...readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
    ...readdirSync(join(ROOT, 'src/bulk'), { recursive: true }).map((name) => `src/bulk/${name}`),
  ].filter((path) => path.endsWith('.ts') && !path.endsWith('next-steps.ts'));
  expect(files.length).toBeGreaterThan(40);
  const commands = 'prepare|run|status|results|track|reconcile|resolve|retry|enqueue|work|collect';
  const spelled = files.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
      .replace(/\/\*\*?[\s\S]*?\*\/|\/\/.*$/gm, '')
      // Help shows examples of commands.
      .replace(/\.(addExamples|description|addHelpText)\([\s\S]*?\)\s*;?$/gm, '')
      .replace(/\.addExamples\(\[[\s\S]*?\]\)/g, '');
    return (
      text.match(new RegExp(`bulk (?:${commands})\\b|--accept-loss`, 'g'))?.map((match) => `${path}: ${match}`) ?? []
    );
  });
  expect(spelled).toEqual([]);
});

test('a rate that one request would exceed is refused, by a dry run too', async () => {
  const { begin, sandbox } = await makeWorld();
  for (const more of [['--dry-run'], []])
    expect(await begin('--batch-size', '200', '--rows-per-second', '10', ...more)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--rows-per-second: 10 is less than the rows that share a request (200)'),
    });
  expect(sandbox.messages).toHaveLength(0);
});

test('a list that has changed before its first request needs --yes again where nobody can be asked', async () => {
  const { begin, bulk, input, sandbox } = await makeWorld();
  arm(sandbox, 1, () => ({ status: 403 }));
  await begin();
  appendFileSync(input, '09129999999,new\n');
  const refused = { code: 2, stderr: expect.stringContaining('a list that has changed needs --yes') };
  expect(await bulk('run', input)).toMatchObject(refused);
  expect(await bulk('run', input, '--yes')).toMatchObject({ code: 0 });
  expect(sandbox.messages).toHaveLength(7);
});

test('rejected rows of a list of which nothing was sent stay rejected, until retry', async () => {
  const { begin, bulk, input, sandbox } = await makeWorld();
  arm(sandbox, ROWS, () => refused);
  await begin('--stop-after-failures', '0');
  const sends = () => sandbox.requests.filter(({ operation }) => operation === 'SendSimpleByApikey').length;
  expect(await bulk('run', input)).toMatchObject({ code: 3, stderr: expect.stringContaining('6 rejected') });
  expect(sends()).toBe(6);
  await bulk('retry', input, '--row', '3');
  expect(await bulk('run', input)).toMatchObject({ code: 3, stderr: expect.stringContaining('1 of 6 rows sent') });
  expect(sends()).toBe(7);
});

test('rows that are unknown at the end of a run are listed with receptor and reason', async () => {
  const { sandbox, begin } = await makeWorld();
  arm(sandbox, 3, (n) => (n === 3 ? { drop: 'after' } : ok));
  const { stderr } = await begin('--once');
  expect(stderr).toMatch(new RegExp(`^row 3 to ${receptorOf(3)} is unknown: ConnectionError ECONNRESET$`, 'm'));
});

test('the id of a message that was there before the list is not taken for that of a row', async () => {
  const { sandbox, input, begin, bulk } = await makeWorld();
  const client = clientOf(sandbox);
  const [earlier] = await client.sendSimple({
    sender: '3000',
    message: 'x',
    receptor: ['911'],
    unixdate: 0n,
    msgmode: 1,
  });
  arm(sandbox, 3, (n) => (n === 3 ? { drop: 'after' } : ok));
  await begin('--once');
  const resolved = await bulk('resolve', input, '--row', '3', '--as', 'sent', '--id', String(earlier));
  expect(resolved).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`message ${earlier} was there before the list`),
  });
});

test('settings that a later command is given are kept, and begin nothing anew', async () => {
  const { begin, bulk, input, sandbox } = await makeWorld();
  arm(sandbox, 3, (n) => (n > 1 ? refused : ok));
  await begin('--stop-after-failures', '1');
  await bulk('run', input, '--soap-version', '1.2', '--stop-after-failures', '1');
  await bulk('retry', input, '--all');
  const before = sandbox.requests.length;
  expect(await bulk('run', input)).toMatchObject({ code: 0 });
  const bodies = sandbox.requests.slice(before).map(({ body }) => body);
  expect(bodies.every((body) => body.includes('http://www.w3.org/2003/05/soap-envelope'))).toBe(true);
  expectOnce(sandbox);
});

test('printed commands are whole, and run in a shell as they are printed, with strange paths and fields', async () => {
  const names = [...Array.from({ length: 8 }, () => 'x'.repeat(150)), "my 'lists' $1", 'a\n\u202eb'];
  const folder = join(makeFolder(), ...names);
  mkdirSync(folder, { recursive: true });
  const { sandbox, input, environment, bulk } = await prepare(1, folder);
  sandbox.reply('SendSimpleByApikey', { status: 418 });
  const fields = ['--sender', "it's", '--message', '$HOME {{name}}', ...given.slice(4)];
  const { stderr } = await bulk('run', input, ...fields, '--stop-after-failures', '0');
  expect(stderr).not.toContain('\u202e');
  const printed = (text: string, name: string) => new RegExp(`\`[^\`]*?(bulk ${name} [^\`]*)\``).exec(text)?.[1] ?? '';
  const shell = async (command: string): Promise<string> => {
    const line = `${process.execPath} ${programPath('messaging')} ${command} 2>&1`;
    const options = { cwd: '/', env: { PATH: process.env.PATH, ...environment } };
    return (await promisify(execFile)('sh', ['-c', line], options)).stdout;
  };
  const retry = printed(stderr, 'retry');
  expect(retry.length).toBeGreaterThan(1200);
  await shell(printed(await shell(retry), 'run'));
  expect(sandbox.messages).toMatchObject([{ sender: "it's", message: '$HOME name 1' }]);
});
