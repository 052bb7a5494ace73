import './skip-settling';

import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { QueueJobs } from '../../src/bulk/queue/queue-jobs';
import type { Sandbox } from '../../src/sandbox';
import { messaging, shellWords, startProcess } from '../cli/support';
import { loopSize } from '../support/loops';
import { startProxy } from '../support/proxy';
import { given, prepare } from './cli-support';
import { claimKeys, connectTo, type RedisServer, startRedis } from './queue-support';
import { damageOf, endOf, widen } from './support';

describe.each(['bullmq', 'redis'])('without %s', (name) => {
  afterEach(() => jest.dontMock(name));

  test('the commands of a queue say how to install it, and do nothing', async () => {
    jest.doMock(name, () => {
      throw Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:`), { code: 'MODULE_NOT_FOUND' });
    });
    const { sandbox, input, bulk } = await prepare(1);
    for (const args of [['enqueue', input, ...given], ['work']]) {
      const stderr = expect.stringMatching(
        new RegExp(`^error: a queue needs bullmq and redis, and ${name} is not installed: npm install bullmq redis\n$`),
      );
      expect(await bulk(...args, '--redis', 'redis://127.0.0.1:1')).toMatchObject({ code: 2, stdout: '', stderr });
    }
    expect(sandbox.requests).toHaveLength(0);
  });
});

/** How often an enqueuing is killed. */
const KILLS = loopSize(20);

/** The options that a printed worker has for the service of its list. */
const serviceOf = ({ baseUrl, namespace }: Sandbox) =>
  `--base-url ${baseUrl} --namespace ${namespace} --success-statuses 200`;
const keyLineOf = ({ baseUrl }: Sandbox) =>
  `  a shell without the API key needs --api-key-file, or MESSAGING_API_KEY beside MESSAGING_BASE_URL=${baseUrl}`;

async function allowUser(server: RedisServer): Promise<void> {
  await (await connectTo(server)).aclSetUser('user', ['on', 'nopass', '~*', '&*', '+@all']);
}

describe('Redis', () => {
  let server: RedisServer;
  let redis: string[];
  beforeAll(async () => {
    server = await startRedis();
    redis = ['--redis', server.url];
  });
  beforeEach(async () => (await connectTo(server)).flushAll());

  test('from a CSV file to "all rows are sent" over a queue, following what each command says', async () => {
    const { sandbox, input, bulk } = await prepare(10);
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 }, { times: 7 });
    sandbox.reply('SendSimpleByApikey', { drop: 'before' });
    const enqueue = ['enqueue', input, ...given, '--baseline-pagesize', '1000', ...redis];
    const collect = `\`messaging bulk collect ${input}\``;
    const takeBack = `\`messaging bulk collect ${input} --take-back\``;
    const back = (rows: string) =>
      `${rows} in the queue or with a worker: ${collect} records what was sent\n  when no worker is to send more: ${takeBack} takes back what none has claimed, and gives up workers that have ended\n`;
    const queued = back('10 rows are');
    const work = `messaging bulk work ${serviceOf(sandbox)} ${redis.join(' ')}`;
    expect(await bulk(...enqueue)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `10 rows (10 parts) from 3000 to ${sandbox.baseUrl}\n0 of 10 rows sent, 10 under way\nstart workers on as many machines as you like, all with the same --rows-per-second: \`${work}\`\n${keyLineOf(sandbox)}\n${queued}`,
    });
    const far = 'in the queue: 10 rows waiting, 0 with a worker, 0 done';
    expect((await bulk('status', input)).stderr).toBe(`${far}\n${queued}`);
    const worked = await bulk('work', ...redis, '--concurrency', '1', '--stop-after-failures', '1', '--until-empty');
    expect(worked).toMatchObject({ code: 6, stdout: '' });
    expect(worked.stderr).toMatch(
      /^rows of the queue go to .*\nlist\.csv, row 8: .*\n7 of 8 rows sent, 1 unknown\nstopped: a request failed\nwhen .*\n {2}a shell without .*\ncollect it with the file of the list, where its journal is\n$/,
    );
    expect((await bulk('status', input)).stderr).toMatch(/^in the queue: 2 rows waiting, 0 with a worker, 8 done\n/);
    expect((await bulk('collect', input)).stderr).toMatch(
      /^8 rows collected: 7 sent, 1 unknown\n7 of 10 rows sent, 1 unknown, 2 under way\n2 rows are in the queue /,
    );
    const early = /^no row was looked for, because rows are in the queue or with a worker\n/;
    expect((await bulk('reconcile', input)).stderr).toMatch(early);
    const collected = await bulk('collect', input, '--take-back');
    expect(collected.code).toBe(6);
    expect(collected.stderr).toMatch(
      /^2 rows collected: 2 pending\n7 of 10 rows sent, 1 unknown, 2 pending\n1 unknown, 2 pending: `messaging bulk run .*` goes on\n {2}a shell without .*\n$/,
    );
    // The claims of the worker tell the order in which the rows were sent.
    expect(await bulk('reconcile', input)).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^0 rows found, 1 not found: it is pending again$/m),
    });
    expect(await bulk(...enqueue)).toMatchObject({ code: 0 });
    expect(await bulk('work', ...redis, '--until-empty')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/\n3 of 3 rows sent\ncollect it with the file of the list, .*\n$/),
    });
    expect(await bulk('collect', input, ...redis)).toMatchObject({
      code: 0,
      stderr: '3 rows collected: 3 sent\n10 of 10 rows sent\nall rows are sent\n',
    });
    expect(damageOf(sandbox, 10)).toEqual({ twice: 0, lost: 0 });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends a worker once what is under way has ended', async (signal, code) => {
    const { sandbox, input, environment, bulk } = await prepare(30);
    await bulk('enqueue', input, ...given, ...redis);
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
    sandbox.reply('*', { delayMs: 200 }, { times: Number.POSITIVE_INFINITY });
    const child = startProcess(['bulk', 'work', ...redis, '--concurrency', '4'], environment);
    let stderr = '';
    child.stderr?.on('data', (text) => {
      stderr += text;
    });
    while (sandbox.requests.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill(signal);
    expect(await endOf(child)).toEqual({ code, signal: null });
    expect(stderr).toMatch(/^stopping: no further request starts.*\n\d+ of \d+ rows sent(, \d+ pending)?\n/m);
    const { stderr: collected } = await bulk('collect', input, ...redis, '--take-back');
    expect(collected).toMatch(new RegExp(`^30 rows collected: ${sandbox.messages.length} sent, \\d+ pending\n`));
  });

  test('an enqueuing that is killed leaves no job that is not in the journal, and rows that are taken back', async () => {
    const { sandbox, input, environment, bulk } = await prepare(3000);
    const link = await connectTo(server);
    for (let kill = 0; kill < KILLS; kill++) {
      await link.flushAll();
      const child = startProcess(['bulk', 'enqueue', input, ...given, ...redis], environment);
      while ((await link.dbSize()) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
      child.kill('SIGKILL');
      await endOf(child);
      const journal = readFileSync(`${input}.journal`, 'utf8').trim().split('\n');
      const records = journal.flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : []));
      const own = records.slice(records.findLastIndex(({ t }) => t === 'open'));
      const { opening } = own[0];
      const intents = new Set(
        own.flatMap(({ t, n }) => (t === 'intent' ? [`bull:messaging-bulk:${opening}-${n}`] : [])),
      );
      const jobs = await link.keys(`bull:messaging-bulk:${opening}-*`);
      expect(jobs.filter((job) => !intents.has(job))).toEqual([]);
      const { stderr } = await bulk('collect', input, ...redis, '--take-back');
      const collected = /0 of 3,000 rows sent, 3,000 pending\n/;
      const nothing = /pending\n|no row of this list was put in a queue, so there is nothing to collect\n/;
      expect(stderr).toMatch(intents.size > 0 ? collected : nothing);
      // Before its first intent an enqueuing may leave an empty hash, in which nothing can be claimed.
      const left = intents.size === 0 ? [`messaging-bulk:${opening}`] : [];
      expect(left).toEqual(expect.arrayContaining(await claimKeys(link)));
    }
    expect(sandbox.messages).toHaveLength(0);
  });

  test('a Redis that cannot be reached gives 5, and a missing --redis gives 2', async () => {
    const { input, bulk } = await prepare(1);
    const stderr = expect.stringMatching(/^error: Redis at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/);
    for (const args of [['enqueue', input, ...given], ['work']]) {
      expect(await bulk(...args, '--redis', 'redis://127.0.0.1:1')).toMatchObject({ code: 5, stderr });
      expect(await bulk(...args)).toMatchObject({
        code: 2,
        stderr: 'error: missing: --redis (or MESSAGING_REDIS_URL)\n',
      });
    }
    expect(await bulk('work', '--redis', 'x')).toMatchObject({
      code: 2,
      stderr: 'error: --redis: a URL such as redis://127.0.0.1:6379, without a query, is needed\n',
    });
  });

  test('a queue belongs to one service: neither another list nor a worker of another service uses it', async () => {
    const { sandbox, input, bulk } = await prepare(3);
    const other = await prepare(3);
    await bulk('enqueue', input, ...given, ...redis);
    const refusal = expect.stringContaining(
      `--queue: messaging-bulk has rows for ${sandbox.baseUrl} (namespace ${sandbox.namespace}), and not for ${other.sandbox.baseUrl}`,
    );
    expect(await other.bulk('work', ...redis, '--until-empty')).toMatchObject({ code: 2, stderr: refusal });
    expect(await other.bulk('enqueue', other.input, ...given, ...redis)).toMatchObject({ code: 2, stderr: refusal });
    expect(other.sandbox.messages).toHaveLength(0);
    expect(await bulk('work', ...redis, '--until-empty')).toMatchObject({ code: 0 });
    expect(sandbox.messages).toHaveLength(3);
  });

  test('a worker that was started before the first row claims no row of another service', async () => {
    const { sandbox, input, bulk } = await prepare(3);
    const other = await prepare(1);
    const working = other.bulk('work', ...redis);
    const link = await connectTo(server);
    while (Number((await link.info('clients')).match(/connected_clients:(\d+)/)?.[1]) < 3)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await bulk('enqueue', input, ...given, ...redis);
    expect(await working).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--queue: messaging-bulk has rows'),
    });
    expect(other.sandbox.messages).toHaveLength(0);
    expect(await bulk('work', ...redis, '--until-empty')).toMatchObject({ code: 0 });
    expect(sandbox.messages).toHaveLength(3);
  });

  test('collect asks the Redis that the journal names, whatever MESSAGING_REDIS_URL says', async () => {
    const { sandbox, input, environment, bulk } = await prepare(3);
    await bulk('enqueue', input, ...given, ...redis);
    const MESSAGING_REDIS_URL = 'redis://127.0.0.1:1';
    const collected = await messaging(['bulk', 'collect', input, '--take-back'], {
      environment: { ...environment, MESSAGING_REDIS_URL },
    });
    expect(collected).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('MESSAGING_REDIS_URL names another Redis'),
    });
    expect(await bulk('run', input)).toMatchObject({ code: 0 });
    expect(damageOf(sandbox, 3)).toEqual({ twice: 0, lost: 0 });
  });

  test('MESSAGING_REDIS_URL gives the Redis, and what to do next then names none', async () => {
    const { input, environment } = await prepare(1);
    await allowUser(server);
    const MESSAGING_REDIS_URL = (redis[1] as string).replace('//', '//user:word@');
    const run = (...args: string[]) =>
      messaging(['bulk', ...args], { environment: { ...environment, MESSAGING_REDIS_URL } });
    const enqueued = await run('enqueue', input, ...given);
    expect(enqueued).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/: `messaging bulk work --base-url [^`]* 200`\n.*\n.*`messaging bulk collect \S+`/),
    });
    expect(await run('work', '--until-empty')).toMatchObject({ code: 0 });
    expect(await run('collect', input)).toMatchObject({ code: 0 });
    expect(await run('work', '--redis', 'redis://127.0.0.1:1')).toMatchObject({ code: 5 });
  });

  test.each(['user@', ':word@', 'user:word@'])('a URL with %s is not shown', async (secret) => {
    const { input, bulk } = await prepare(1);
    await allowUser(server);
    const link = await connectTo(server);
    const url = (redis[1] as string).replace('//', `//${secret}`);
    await link.configSet('requirepass', secret === ':word@' ? 'word' : '');
    const { code, stderr } = await bulk('enqueue', input, ...given, '--redis', url);
    await link.configSet('requirepass', '');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/ 200`\n.*\n.*collect \S+`.*\n.*--take-back.*\n.*MESSAGING_REDIS_URL.*\n$/),
    ]);
    expect(stderr).not.toContain(secret);
  });

  test('the command that enqueue prints starts a worker for the same service, and shows neither the API key nor the password of a proxy', async () => {
    const { sandbox, input, environment } = await prepare(3);
    const keyFile = join(dirname(input), 'the key');
    writeFileSync(keyFile, sandbox.apiKey);
    const service = ['--base-url', sandbox.baseUrl, '--namespace', sandbox.namespace, '--success-statuses', '200'];
    const { service: proxyServer } = await startProxy();
    const proxy = proxyServer.baseUrl.replace('//', '//user:word@');
    const options = [...service, '--api-key-file', keyFile, '--queue', 'another', '--proxy', proxy];
    const enqueued = await messaging(['bulk', 'enqueue', input, ...given, ...redis, ...options]);
    const [, line = ''] = /`(messaging bulk work .*?)`/.exec(enqueued.stderr) ?? [];
    expect(line).not.toContain(sandbox.apiKey);
    expect(line).not.toContain('word@');
    expect(environment).toBeDefined();
    const worked = await messaging([...shellWords(line).slice(1), '--until-empty']);
    expect(worked).toMatchObject({ code: 0, stderr: expect.stringContaining('3 of 3 rows sent') });
  });

  test('one refused row does not end a worker, each failure is a line, and a worker that stops says why and how to go on', async () => {
    const { sandbox, input, bulk } = await prepare(30);
    sandbox.reply('SendSimpleByApikey', { delayMs: 0 });
    sandbox.reply('SendSimpleByApikey', { status: 418 });
    sandbox.reply('SendSimpleByApikey', { delayMs: 0 });
    sandbox.reply('SendSimpleByApikey', { status: 418 }, { times: 3 });
    await bulk('enqueue', input, ...given, ...redis);
    const work = ['work', ...redis, '--concurrency', '1', '--stop-after-failures', '3'];
    const { code, stderr } = await bulk(...work, '--until-empty');
    expect(code).toBe(3);
    expect(stderr.split('\n')).toEqual([
      `rows of the queue go to ${sandbox.baseUrl}`,
      ...[2, 4, 5, 6].map((row) => expect.stringMatching(new RegExp(`^list\\.csv, row ${row}: .*418`))),
      '2 of 6 rows sent, 4 rejected',
      'stopped: 3 consecutive requests failed',
      `when the cause is removed, go on: \`messaging bulk ${[work[0], serviceOf(sandbox), ...work.slice(1)].join(' ')} --until-empty\``,
      keyLineOf(sandbox),
      'collect it with the file of the list, where its journal is',
      '',
    ]);
    expect(await bulk(...work, '--until-empty')).toMatchObject({ code: 0 });
  });

  test('Ctrl-C in enqueue says something at once and ends it', async () => {
    const { input, environment } = await prepare(1001);
    const signals = new EventEmitter();
    const { add } = QueueJobs.prototype;
    const spy = jest.spyOn(QueueJobs.prototype, 'add').mockImplementation(async function (this: QueueJobs, ...args) {
      await add.apply(this, args);
      signals.emit('SIGINT', 'SIGINT');
    });
    const enqueued = await messaging(['bulk', 'enqueue', input, ...given, ...redis], { environment, signals });
    spy.mockRestore();
    expect(enqueued).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(
        /stopping: rows that are not in the queue yet stay pending\n(.*\n)*0 of 1,001 rows sent, 1 pending, 1,000 under way\n/,
      ),
    });
  });

  test('--verbose prints what crosses the wire', async () => {
    const { input, bulk } = await prepare(1);
    const enqueued = await bulk('enqueue', input, ...given, '--baseline-pagesize', '10', ...redis, '--verbose');
    expect(enqueued.stderr).toMatch(/^> .*SelectlatestByApikey/m);
    expect((await bulk('work', ...redis, '--until-empty', '--verbose')).stderr).toMatch(/^> .*SendSimpleByApikey/m);
  });

  test('a baseline that cannot be listed, or not any more, is said', async () => {
    const { sandbox, input, bulk } = await prepare(2);
    sandbox.reply('SelectlatestByApikey', { status: 418 });
    const enqueue = ['enqueue', input, ...given, ...redis];
    expect(await bulk(...enqueue)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/error: .*418.*; nothing was sent, because the baseline could not be listed .*\n$/),
    });
    expect(existsSync(`${input}.journal`)).toBe(false);
    expect((await bulk(...enqueue)).code).toBe(0);
    expect((await bulk(...enqueue, '--baseline-pagesize', '10')).stderr).toMatch(
      /^warning: rows may have been sent already, so no other baseline is listed/,
    );
  });

  test('--accept-loss is asked for by its name', async () => {
    const { bulk } = await prepare(1);
    const { url } = await startRedis(['--appendonly', 'no']);
    const refused = await bulk('work', '--redis', url);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no append-only file.*; --accept-loss: uses this Redis/),
    });
  });

  test('a file that changes while it is enqueued ends the command, which says what is in the queue', async () => {
    const { input, bulk } = await prepare(3000);
    const text = widen(input);
    const options = [...redis, '--operation', 'send-array', '--batch-size', '100'];
    const enqueuing = bulk('enqueue', input, ...given, ...options);
    while (!existsSync(`${input}.journal`)) await new Promise((resolve) => setTimeout(resolve, 1));
    writeFileSync(input, text.replace('name 2991,', 'name five,'));
    const { code, stderr } = await enqueuing;
    expect([code, stderr]).toEqual([
      5,
      expect.stringMatching(
        /stopped: row 2991: the file has changed .*\n0 of 3,000 rows sent, [\d,]+ pending, [\d,]+ under way\n/,
      ),
    ]);
    expect(stderr).toMatch(/in the queue or with a worker: `messaging bulk collect \S+` records/);
    expect(stderr).not.toContain('nothing was sent');
  });

  test('a wrong text is put right after the rows were taken back from a queue', async () => {
    const { sandbox, input, bulk } = await prepare(5);
    const wrong = given.map((word) => word.replace('Hello', 'Helo'));
    expect(await bulk('enqueue', input, ...wrong, ...redis)).toMatchObject({ code: 0 });
    const right = ['enqueue', input, '--message', 'Hello {{name}}', ...redis];
    expect(await bulk(...right)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--message: this list has "Helo {{name}}", and "Hello {{name}}" was given/),
    });
    expect(await bulk('collect', input, '--take-back')).toMatchObject({ code: 5 });
    const enqueued = await bulk(...right, '--yes');
    expect(enqueued).toMatchObject({ code: 0 });
    expect(await bulk('work', '--until-empty', ...redis)).toMatchObject({ code: 0 });
    expect(await bulk('collect', input)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('all rows are sent\n'),
    });
    expect(sandbox.messages.map(({ message }) => message).sort()).toEqual(
      [1, 2, 3, 4, 5].map((n) => `Hello name ${n}`),
    );
    expect(damageOf(sandbox, 5)).toEqual({ twice: 0, lost: 0 });
  });

  test('a worker that is stopped by SIGTERM exits with 143, also when Redis is gone', async () => {
    const { sandbox, input, environment, bulk } = await prepare(1);
    const own = await startRedis();
    await bulk('enqueue', input, ...given, '--redis', own.url);
    const child = startProcess(['bulk', 'work', '--redis', own.url], environment);
    while (sandbox.messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await own.kill();
    child.kill('SIGTERM');
    expect(await endOf(child)).toEqual({ code: 143, signal: null });
  });
});

test('a URL of Redis with a path that is no number is refused by name', async () => {
  const { bulk } = await prepare(1);
  expect(await bulk('work', '--redis', 'redis://127.0.0.1/abc')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: --redis: a URL such as/m),
  });
});
