import './skip-settling';

import { appendFileSync } from 'node:fs';
import { readBulk } from '../../src/bulk';
import type { Sandbox } from '../../src/sandbox';
import { messaging, startProcess } from '../cli/support';
import { commandsIn, given, prepare } from './cli-support';
import { damageOf, endOf, printed } from './support';

describe('a process', () => {
  /** Starts a run at a slow service, once its first requests are under way. */
  async function startRun(rows: number, delayMs: number) {
    const { sandbox, input, environment, bulk } = await prepare(rows);
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 });
    sandbox.reply('*', { delayMs }, { times: Number.POSITIVE_INFINITY });
    const args = [
      'bulk',
      'run',
      input,
      ...given,
      '--concurrency',
      '4',
      '--rows-per-second',
      '200',
      '--baseline-pagesize',
      '0',
    ];
    const child = startProcess(args, environment);
    let stderr = '';
    child.stderr?.on('data', (text) => {
      stderr += text;
    });
    await messagesOf(sandbox, 5);
    return { sandbox, input, bulk, child, stderr: () => stderr };
  }

  async function messagesOf(sandbox: Sandbox, count: number): Promise<void> {
    while (sandbox.messages.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  test.each([
    ['Ctrl-C', 'SIGINT', 130],
    ['SIGTERM', 'SIGTERM', 143],
    ['a lost terminal', 'SIGHUP', 143],
  ] as const)(
    '%s drains: what is under way ends, nothing is unknown, and the next run goes on',
    async (_, signal, code) => {
      const { sandbox, input, bulk, child, stderr } = await startRun(40, 100);
      child.kill(signal);
      expect(await endOf(child)).toEqual({ code, signal: null });
      expect(stderr()).toMatch(/stopping: no further request starts.*\n.*rows sent, \d+ pending\n/);
      const { stdout } = await bulk('status', input, '--output', 'json');
      expect(JSON.parse(stdout)).toMatchObject({ unknown: 0, 'under-way': 0, sent: sandbox.messages.length });
      sandbox.reply('*', { delayMs: 0 }, { times: Number.POSITIVE_INFINITY });
      expect(await bulk('run', input, ...given)).toMatchObject({ code: 0 });
      expect(damageOf(sandbox, 40)).toEqual({ twice: 0, lost: 0 });
    },
  );

  test('Ctrl-C twice leaves at once: what is under way is unknown', async () => {
    const { input, bulk, child } = await startRun(40, 60_000);
    const stopping = printed(child, /stopping/);
    child.kill('SIGINT');
    await stopping;
    child.kill('SIGINT');
    expect(await endOf(child)).toEqual({ code: null, signal: 'SIGINT' });
    const { code, stdout } = await bulk('status', input, '--output', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ unknown: 4, 'under-way': 0, sent: 1, pending: 35 });
  });

  test('a second one on the same journal is refused while the first one lives', async () => {
    const { input, bulk, child } = await startRun(40, 60_000);
    const second = await bulk('run', input, ...given);
    expect(second).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: .*list\.csv\.journal is in use by process \d+/),
    });
    const status = await bulk('status', input);
    expect(status).toMatchObject({ code: 0, stdout: '1 of 40 rows sent, 35 pending, 4 under way\n' });
    expect(status.stderr).toBe(`process ${child.pid} works on this list: wait for it to end\n`);
    child.kill('SIGKILL');
    await endOf(child);
    expect(await bulk('status', input)).toMatchObject({ stdout: '1 of 40 rows sent, 4 unknown, 35 pending\n' });
  });
});

test('a process of another host that did not close the journal is named, and how to go on if it has ended', async () => {
  const { input, journal, environment, bulk } = await prepare(2);
  await bulk('run', input, ...given);
  appendFileSync(
    journal,
    `${JSON.stringify({ t: 'open', v: 1, kind: 'bulk', opening: 'x', pid: 77, host: 'other' })}\n`,
  );
  const { stderr } = await bulk('status', input);
  expect(stderr).toBe(
    `process 77 on other opened the journal and did not close it; if that process has ended: \`messaging bulk run ${input} --take-over\`\n`,
  );
  expect(await readBulk(journal)).toMatchObject({
    holder: { pid: 77, host: 'other', isElsewhere: true },
  });
  const [takeOver = []] = commandsIn(stderr);
  expect(await messaging(takeOver, { environment })).toMatchObject({ code: 0 });
  expect(await readBulk(journal)).toMatchObject({ holder: undefined });
});
