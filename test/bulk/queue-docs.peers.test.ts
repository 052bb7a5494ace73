import './skip-settling';

import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { readBulk } from '../../src/bulk';
import type { Sandbox } from '../../src/sandbox';
import { environmentOf, messaging, shellWords, startProcess } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { blocksOf } from '../support/documents';
import { makeFolder } from '../support/folder';
import { freePort } from '../support/free-port';
import { outcomeOf, programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { connectTo, expireLeases, startRedis } from './queue-support';
import { damageOf, endOf } from './support';

// The lists of the page are longer, for a reader who has to find the time to kill a worker. Here, a request takes longer.
const ROWS = 250;
const REQUEST_MS = 1000;
const blocks = blocksOf('docs/many-machines.md')
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text.trim().replaceAll('10000 14999', `10000 ${9999 + ROWS}`));
const lines = blocks.flatMap((block) => block.split('\n'));

function lineOf(start: string): string {
  const line = lines.find((candidate) => candidate.startsWith(start));
  if (line === undefined) throw new Error(`the page has no line ${start}`);
  return line;
}

describe('Redis', () => {
  test('the session with many machines, from the list to "all rows are sent", with a worker that is killed', async () => {
    const sandbox = await openSandbox();
    const environment = environmentOf(sandbox);
    // The Redis of the test has a port and a folder of its own.
    const options = shellWords(lineOf('redis-server --port 6379 ')).slice(3, -2);
    const server = await startRedis(options);
    const redis = await connectTo(server);
    const queue = new Queue('messaging-bulk', { connection: redis });
    const folder = makeFolder();
    execFileSync('bash', ['-c', lineOf('{ echo ')], { cwd: folder });
    const argsOf = (command: string) => {
      const line = lineOf(`npx messaging-soap bulk ${command} `).replaceAll('redis://127.0.0.1:6379', server.url);
      return shellWords(line.replaceAll('many.csv', join(folder, 'many.csv'))).slice(2);
    };
    const run = (command: string, ...more: string[]) => messaging([...argsOf(command), ...more], { environment });

    expect(await run('enqueue')).toMatchObject({ code: 0, stderr: expect.stringContaining(`${ROWS} under way`) });
    const [, json = ''] = /'(\{.*\})'/.exec(lineOf('curl ')) ?? [];
    const { operation, reply } = JSON.parse(json);
    expect(reply).toEqual({ delayMs: 200 });
    const { clear } = sandbox.reply(operation, { delayMs: REQUEST_MS }, { times: Number.POSITIVE_INFINITY });
    const workers = [0, 1].map(() => startProcess(argsOf('work'), environment));
    // One that has not begun yet would be ended by the signal itself.
    while ((await queue.getWorkersCount()) < workers.length || sandbox.messages.length < 30) {
      for (const { exitCode } of workers) expect(exitCode).toBe(null);
      await sleep(5);
    }
    workers[0]?.kill('SIGKILL');
    workers[1]?.kill('SIGTERM');
    expect(await Promise.all(workers.map(endOf))).toEqual([
      { code: null, signal: 'SIGKILL' },
      { code: 143, signal: null },
    ]);
    await expireLeases(redis);
    expect((await messaging(['bulk', 'status', join(folder, 'many.csv')], { environment })).stderr).toMatch(
      /^in the queue: [\d,]+ rows waiting, 0 with a worker, \d+ with a worker that has ended or does not respond, \d+ done\n/,
    );
    expect((await run('collect')).stderr).toMatch(new RegExp(`^${ROWS} rows collected: `));
    await run('reconcile');
    await resolveByTheTruth(sandbox, join(folder, 'many.csv'), '091300');
    await run('enqueue');
    clear();
    expect(await messaging([...argsOf('work').slice(0, 4), '--until-empty'], { environment })).toMatchObject({
      code: 0,
    });
    expect(await run('collect')).toMatchObject({ code: 0, stderr: expect.stringContaining('all rows are sent\n') });
    expect(damageOf(sandbox, ROWS)).toEqual({ twice: 0, lost: 0 });
  });

  test('the night of an operator: a worker is killed, one is stopped and goes on, Redis is restarted, an alert fires', async () => {
    const sandbox = await openSandbox();
    const environment = environmentOf(sandbox);
    const { clear } = sandbox.reply('SendSimpleByApikey', { delayMs: REQUEST_MS }, { times: Number.POSITIVE_INFINITY });
    const ports = new Map<string, number>();
    for (const port of ['6379', '9464', '9465', '9466']) ports.set(port, await freePort());
    const [redisPort, first, second, third] = ['6379', '9464', '9465', '9466'].map((port) => ports.get(port) as number);
    const here = (text: string) =>
      [...ports].reduce((changed, [from, to]) => changed.replaceAll(from, String(to)), text);
    const folder = makeFolder();
    const file = join(folder, 'night.csv');
    const server = `redis-server --bind 127.0.0.1 ${lineOf('redis-server --port 6379 ').split(' ').slice(1).join(' ')}`;
    const night = blocks.find((block) => block.includes('night.csv')) as string;
    const script = here(`${lineOf('mkdir ')}
${server} > first.log &
until redis-cli -p 6379 ping; do command sleep 0.1; done
${HELPERS}
${night.replaceAll('node_modules/.bin/messaging', `${process.execPath} ${programPath('messaging')}`)}
redis-cli -p 6379 shutdown`);
    const env = { ...process.env, ...environment };
    const session = spawn('bash', ['-c', script], { cwd: folder, env, detached: true });
    cleanUp(() => session.exitCode ?? process.kill(-(session.pid as number), 'SIGKILL'));
    const ended = outcomeOf(session);

    /** The value of a metric that a worker serves. */
    const metricOf = async (port: number | undefined, name: string) => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(new RegExp(`^messaging_bulk_${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    /** Waits until a worker that reaches Redis has nothing to do. */
    const untilIdle = async (port: number | undefined) => {
      const isBusy = async () =>
        (await metricOf(port, 'up')) !== 1 ||
        (await metricOf(port, 'waiting_rows')) !== 0 ||
        (await metricOf(port, 'under_way_rows')) !== 0;
      while (await isBusy()) await sleep(50);
    };
    const whatTimeDoes: Record<string, () => Promise<unknown>> = {
      15: async () => {
        while (sandbox.messages.length < 30) await sleep(5);
        // A worker may not have begun yet.
        for (const port of [first, second])
          while (!((await metricOf(port, 'under_way_rows').catch(() => 0)) > 0)) await sleep(20);
      },
      40: async () => {
        clear();
        await untilIdle(third);
        await expireLeases(await connectTo({ url: `redis://127.0.0.1:${redisPort}` }));
        // What Redis has said is shared for a second.
        while ((await metricOf(third, 'silent_rows')) === 0) await sleep(50);
      },
      10: () => untilIdle(second),
    };
    const printed: string[] = [];
    for await (const line of createInterface(session.stdout)) {
      const [name = '', ...words] = line.startsWith('ask ') ? shellWords(line.slice(4)) : [];
      if (name === 'sleep') await whatTimeDoes[words[0] as string]?.();
      else if (name === 'npx') {
        const args = words.slice(1).map((word) => (word === 'night.csv' ? file : word));
        printed.push((await messaging(args, { environment })).stderr);
      } else printed.push(line);
      if (name !== '') session.stdin.write('\n');
    }
    expect(await ended).toMatchObject({ code: 0 });
    const silent = printed.find((line) => line.startsWith('messaging_bulk_silent_rows '));
    expect(Number(silent?.split(' ')[1])).toBeGreaterThan(0);
    const { counts } = await readBulk(`${file}.journal`);
    expect(counts).toMatchObject({ total: ROWS, rejected: 0, 'under-way': 0 });
    // At most the rows that the killed worker had claimed are left to a person, or are known not to be sent.
    expect(counts.unknown + counts.pending).toBeLessThanOrEqual(16);
    await resolveByTheTruth(sandbox, file, '091400');
    const run = await messaging(['bulk', 'run', file], { environment });
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('all rows are sent\n') });
    expect(damageOf(sandbox, ROWS)).toEqual({ twice: 0, lost: 0 });
  });
});

/**
 * What takes the place of two commands of a page: they ask the test, and wait for its answer. So the test decides how long
 * a pause is, and runs commands of the package without the time in which requests settle.
 */
const HELPERS = `
ask() { printf 'ask '; printf '%q ' "$@"; echo; read -r _; }
sleep() { ask sleep "$@"; }
npx() { ask npx "$@"; }`;

/** Records of each unknown row what the sandbox knows, as an operator does who can see the page of the provider. */
async function resolveByTheTruth(sandbox: Sandbox, file: string, prefix: string): Promise<void> {
  const { rows } = await readBulk(`${file}.journal`);
  for (const { row } of rows('unknown')) {
    const isSent = sandbox.messages.some(({ receptor }) => receptor === `${prefix}${9999 + row}`);
    const found = ['--row', String(row), '--as', isSent ? 'sent' : 'not-sent'];
    await messaging(['bulk', 'resolve', file, ...found], { environment: environmentOf(sandbox) });
  }
}
