import './skip-settling';

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import { environmentOf, messaging, type Outcome, startProcess } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { loopSize } from '../support/loops';
import { openSandbox } from '../support/sandbox';
import { commandsIn } from './cli-support';
import { endOf } from './support';

const ROWS = loopSize(5000);
const TEXT = '{{نام}} عزیز، سفارش {{order}} آماده است.';

/** A list with strange numbers, a column of notes and Persian texts. */
function exportOf(rows: number): { readonly csv: string; readonly contents: readonly string[] } {
  const lines = ['receptor,نام,order,note'];
  const contents: string[] = [];
  for (let row = 1; row <= rows; row++) {
    const digits = `912${String(row).padStart(7, '0')}`;
    const receptor =
      row % 40 === 1
        ? `+98 ${digits}`
        : row % 40 === 2
          ? `۰${digits}`
          : row % 200 === 3
            ? `(0912) ${digits.slice(3)}`
            : `0${digits}`;
    const name = ['علی', 'سارا', 'مینا "م"', 'José'][row % 4] as string;
    lines.push([receptor, `"${name.replaceAll('"', '""')}"`, String(row), `note, ${row}`].map(quote).join(','));
    contents.push(`${receptor} ${name} عزیز، سفارش ${row} آماده است.`);
  }
  return { csv: `\ufeff${lines.join('\r\n')}\r\n`, contents };
}

function quote(cell: string): string {
  return cell.includes(',') && !cell.startsWith('"') ? `"${cell}"` : cell;
}

/** Refuses every 50th request and drops every 100th response, whoever sends them. */
function armService(sandbox: Sandbox, requests: number): void {
  for (let n = 1; n <= requests; n++) {
    const reply =
      n % 100 === 99 ? { drop: 'after' as const } : n % 50 === 0 ? { status: 412, statusmessage: 'busy' } : {};
    sandbox.reply('SendSimpleByApikey', { delayMs: 1, ...reply });
  }
}

function contentsOf(sandbox: Sandbox): string[] {
  return sandbox.messages.map(({ receptor, message }) => `${receptor} ${message}`);
}

/** The commands that a text prints, without those that record a decision. */
function followedCommands(text: string): string[][] {
  return commandsIn(text).filter(([, name = '']) => !['resolve', 'split'].includes(name));
}

test('an operator who follows the printed commands sends an exported list once, through refusals, lost responses and a kill', async () => {
  const sandbox = await openSandbox();
  const { csv, contents } = exportOf(ROWS);
  const input = join(makeFolder(), 'اکسل export.csv');
  writeFileSync(input, csv);
  const environment = environmentOf(sandbox);
  const first = ['run', input, '--sender', '3000', '--message', TEXT, '--unixdate', '0', '--msgmode', '1', '--yes'];
  const bulk = (...args: string[]): Promise<Outcome> => messaging(['bulk', ...args], { environment });

  const options = ['--concurrency', '4'];
  expect(await bulk(...first, ...options, '--dry-run')).toMatchObject({ code: 0 });

  armService(sandbox, ROWS * 2);
  const child = startProcess(['bulk', ...first, ...options], environment);
  cleanUp(() => child.kill('SIGKILL'));
  while (sandbox.messages.length < ROWS / 2) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGKILL');
  await endOf(child);

  let last = await bulk('run', input);
  for (let round = 0; round < 10 && last.code !== 0; round++) {
    // The operator of the service looks up the rows that only a person can decide.
    for (const [, rows = ''] of last.stderr.matchAll(/--row (\S+) --as sent/g)) {
      for (const row of rows.split(',').flatMap(rowsOf)) {
        const isSent = contentsOf(sandbox).includes(contents[row - 1] as string);
        await bulk('resolve', input, '--row', String(row), '--as', isSent ? 'sent' : 'not-sent');
      }
    }
    const status = await bulk('status', input);
    for (const command of followedCommands(status.stderr)) last = await messaging(command, { environment });
    last = await bulk('run', input);
  }
  expect(last).toMatchObject({ code: 0, stderr: expect.stringMatching(/all rows are sent\n$/) });

  const sent = contentsOf(sandbox);
  expect(new Set(sent).size).toBe(sent.length);
  expect(new Set(sent)).toEqual(new Set(contents));
  const { stdout } = await bulk('results', input, '--output', 'ndjson');
  const results = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results).toHaveLength(ROWS);
  expect(results.every(({ result_state: state }) => state === 'sent')).toBe(true);
}, 600_000);

/** "7-9" */
function rowsOf(range: string): number[] {
  const [from = 0, to = from] = range.split('-').map(Number);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
