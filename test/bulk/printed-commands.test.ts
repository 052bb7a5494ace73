import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf, startProcess } from '../cli/support';
import { makeFolder } from '../support/folder';
import { outcomeOf } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { arm } from './cli-support';
import { endOf } from './support';

const given = ['--sender', "it's", '--message', '$HOME {{name}}', '--unixdate', '0', '--msgmode', '1', '--yes'];

/** The commands that a text prints, as a shell takes them. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/`([^`]*)`/g)].map(([, line = '']) => line);
}

/** Runs a line in a shell, in a folder that has nothing to do with the list. */
async function shell(line: string, environment: NodeJS.ProcessEnv) {
  const child = spawn('sh', ['-c', line], { cwd: '/', env: { PATH: process.env.PATH, ...environment } });
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  return { code: code as number, stderr };
}

test('every command that is printed runs as it is printed, in a shell, from any folder, until all rows are sent', async () => {
  const sandbox = await openSandbox();
  const environment = environmentOf(sandbox);
  const folder = join(makeFolder(), "my 'lists' $1");
  mkdirSync(folder);
  const input = join(folder, 'فهرست 1.csv');
  const rows = Array.from({ length: 12 }, (_, index) => `0912000000${index % 10}${index},name ${index}`);
  writeFileSync(input, `receptor,name\n${rows.join('\n')}\n`);
  arm(sandbox, 6, (n) => (n === 3 ? { status: 412 } : n === 6 ? { drop: 'before' } : { delayMs: 0 }));
  const times = ['--start-within-ms', '1000', '--concurrency', '1', '--stop-after-failures', '1'];
  const first = ['bulk', 'run', input, ...given, ...times, '--baseline-pagesize', '100'];
  const run = await outcomeOf(startProcess(first, environment));
  expect([run.code, run.stderr]).toEqual([
    3,
    expect.stringMatching(
      /\nstopped: a request failed\nrow 3 to .* is rejected: .*\n2 of 12 rows sent, 1 rejected, 9 pending\n/,
    ),
  ]);

  const printed = new Set<string>();
  let text = run.stderr;
  for (let round = 0; round < 8 && !text.includes('all rows are sent'); round++) {
    let next = '';
    for (const line of commandsIn(text)) {
      // The default time to settle is a minute.
      const command = line.includes(' bulk run ') ? `${line} --settle-ms 1100` : line;
      // The service did not get the row whose response is lost.
      if (line.includes('--as sent')) continue;
      // It is another way than `retry`: test/bulk/split.test.ts takes it.
      if (line.includes(' bulk split ')) continue;
      const { code, stderr } = await shell(command, environment);
      expect([command, code, stderr]).not.toEqual([command, 2, expect.anything()]);
      printed.add(/ bulk (\S+)/.exec(line)?.[1] ?? line);
      next = stderr;
    }
    text = next;
  }
  expect(text).toContain('12 of 12 rows sent\nall rows are sent\n');
  expect([...printed].sort()).toEqual(expect.arrayContaining(['retry', 'run']));
  const sent = sandbox.messages.map(({ receptor }) => receptor);
  expect([...sent].sort()).toEqual(rows.map((row) => row.split(',')[0]).sort());
  expect(sandbox.messages[0]).toMatchObject({ sender: "it's", message: '$HOME name 0' });
}, 60_000);

test('the command that takes a list over from another host runs as it is printed', async () => {
  const sandbox = await openSandbox();
  const environment = environmentOf(sandbox);
  const input = join(makeFolder(), 'list.csv');
  writeFileSync(input, 'receptor,name\n1,a\n2,b\n');
  arm(sandbox, 2, (n) => (n === 2 ? { status: 412 } : { delayMs: 0 }));
  const child = startProcess(['bulk', 'run', input, ...given], environment);
  await endOf(child);
  appendFileSync(
    `${input}.journal`,
    `${JSON.stringify({ t: 'open', v: 1, kind: 'bulk', opening: 'x', pid: 77, host: 'other' })}\n`,
  );
  const status = await outcomeOf(startProcess(['bulk', 'status', input], environment));
  const [takeOver = ''] = commandsIn(status.stderr);
  expect(await shell(takeOver, environment)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('1 of 2 rows sent'),
  });
}, 60_000);
