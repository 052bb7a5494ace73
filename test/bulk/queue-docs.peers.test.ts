import './skip-settling';

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { readBulk } from '../../src/bulk';
import { environmentOf, messaging, shellWords, startProcess } from '../cli/support';
import { makeFolder } from '../support/folder';
import { ROOT } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { connectTo, expireLeases, startRedis } from './queue-support';
import { damageOf, endOf } from './support';

const ROWS = 5000;
const page = readFileSync(join(ROOT, 'docs/many-machines.md'), 'utf8');
const lines = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, text = '']) => text.trim().split('\n'));

function lineOf(start: string): string {
  const line = lines.find((candidate) => candidate.startsWith(start));
  if (line === undefined) throw new Error(`the page has no line ${start}`);
  return line;
}

describe('Redis', () => {
  test('the session with many machines, from the list to "all rows are sent", with a worker that is killed', async () => {
    const sandbox = await openSandbox();
    const environment = environmentOf(sandbox);
    const options = shellWords(lineOf('redis-server --port 6379 ')).slice(3);
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

    expect(await run('enqueue')).toMatchObject({ code: 0, stderr: expect.stringContaining('5,000 under way') });
    const [, json = ''] = /'(\{.*\})'/.exec(lineOf('curl ')) ?? [];
    const { operation, reply } = JSON.parse(json);
    const { clear } = sandbox.reply(operation, reply, { times: Number.POSITIVE_INFINITY });
    const workers = [0, 1].map(() => startProcess(argsOf('work'), environment));
    // One that has not begun yet would be ended by the signal itself.
    while ((await queue.getWorkersCount()) < workers.length || sandbox.messages.length < 30) await sleep(5);
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
    expect((await run('collect')).stderr).toMatch(/^5,000 rows collected: /);
    await run('reconcile');
    // All rows were queued at once, so the order of the listing may not be seen: then only an operator can decide.
    const { rows } = await readBulk(join(folder, 'many.csv.journal'));
    for (const { row } of rows('unknown')) {
      const isSent = sandbox.messages.some(({ receptor }) => receptor === `091300${9999 + row}`);
      const found = ['--row', String(row), '--as', isSent ? 'sent' : 'not-sent'];
      await messaging(['bulk', 'resolve', join(folder, 'many.csv'), ...found], { environment });
    }
    await run('enqueue');
    clear();
    expect(await messaging([...argsOf('work').slice(0, 4), '--until-empty'], { environment })).toMatchObject({
      code: 0,
    });
    expect(await run('collect')).toMatchObject({ code: 0, stderr: expect.stringContaining('all rows are sent\n') });
    expect(damageOf(sandbox, ROWS)).toEqual({ twice: 0, lost: 0 });
  });
});
