import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessagingClient } from '../../src';
import type { Bulk, BulkClient, BulkOptions } from '../../src/bulk';
import type { List } from '../../src/bulk/list/list';
import { allRules, type Rules } from '../../src/bulk/reconcile/conclude';
import type { BulkJournal } from '../../src/bulk/state/bulk-journal';
import type { Sandbox } from '../../src/sandbox';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { programPath } from '../support/process';
import { openSandbox } from '../support/sandbox';

const now = performance.now.bind(performance);
let ahead = 0;

/** Holds the clock of dates, so that no second ends between two messages of a test. */
export function holdDate(): void {
  const spy = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  cleanUp(() => spy.mockRestore());
}

/** Moves the clock that only goes forward, until the test's end: requests that were decided on before have settled. */
export function advanceClock(ms: number): void {
  ahead += ms;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  cleanUp(() => {
    clock.mockRestore();
    ahead = 0;
  });
}

/** One pass without a baseline, for tests that look at what a pass leaves behind. */
export const onePass = { once: true, baselinePagesize: 0 } as const;

/** Fields that the columns of csvOf leave open. */
export const fields = { sender: '3000', message: 'Hello {{name}}', unixdate: 0n, msgmode: 1 };

/** A file of so many rows, each with a receptor of its own, and its journal's path. */
export function csvOf(
  rows: number,
  folder = makeFolder(),
  columns: readonly string[] = ['receptor', 'name'],
): { readonly input: string; readonly journal: string } {
  const input = join(folder, 'list.csv');
  const values = (row: number) => [receptorOf(row), `name ${row}`].slice(0, columns.length);
  const lines = Array.from({ length: rows }, (_, index) => `${values(index + 1).join(',')}\n`);
  writeFileSync(input, `${columns.join(',')}\n${lines.join('')}`);
  return { input, journal: `${input}.journal` };
}

/** Gives a file a third column, so that its end is far behind what a reader reads ahead. Returns the text. */
export function widen(input: string): string {
  const [head, ...rows] = readFileSync(input, 'utf8').trimEnd().split('\n');
  const text = `${head},note\n${rows.map((row) => `${row},${'-'.repeat(250)}\n`).join('')}`;
  writeFileSync(input, text);
  return text;
}

/** A sandbox and a client of it, both closed after the test. */
export async function startService(): Promise<{ readonly sandbox: Sandbox; readonly client: MessagingClient }> {
  const sandbox = await openSandbox();
  return { sandbox, client: clientOf(sandbox) };
}

export function clientOf(sandbox: Sandbox, baseUrl = sandbox.baseUrl): MessagingClient {
  const client = new MessagingClient({ ...sandbox.clientOptions, baseUrl });
  cleanUp(() => void client.close().catch(() => undefined));
  return client;
}

/** The methods of a client that bulk uses, some of them changed. */
export function changeClient(client: MessagingClient, changes: Partial<BulkClient>): BulkClient {
  return {
    sendSimple: client.sendSimple.bind(client),
    sendArray: client.sendArray.bind(client),
    sendAdvance: client.sendAdvance.bind(client),
    select: client.select.bind(client),
    selectLatestStream: client.selectLatestStream.bind(client),
    track: client.track.bind(client),
    ...changes,
  };
}

/** How often each receptor got its message. */
export function sentTo(sandbox: Sandbox): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { receptor = '' } of sandbox.messages) counts.set(receptor, (counts.get(receptor) ?? 0) + 1);
  return counts;
}

/** Rows that were sent more than once, or not at all. */
export function damageOf(sandbox: Sandbox, rows: number): { readonly twice: number; readonly lost: number } {
  const counts = sentTo(sandbox);
  return { twice: [...counts.values()].filter((count) => count > 1).length, lost: rows - counts.size };
}

/** What a program of test/bulk/programs is told. */
export interface ProgramOptions extends Omit<BulkOptions, 'client' | 'fields' | 'input'> {
  readonly input: string;
  readonly baseUrl: string;
  readonly concurrency?: number;
  readonly baseline?: boolean;
  /** What is broken on purpose. */
  readonly defect?: 'no intent' | 'no sync' | 'no lock';
  /** A file to keep the number of the journal's bytes in that are on the disk. */
  readonly synced?: string;
}

/**
 * Starts test/bulk/programs/sender.ts as a process of its own. It prints `running` when it begins to send.
 *
 * @param script for a shell, which the program is given to as its arguments
 */
export async function startSender(options: ProgramOptions, script = 'exec "$@"'): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, programPath('sender'), JSON.stringify(options)], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanUp(() => child.kill('SIGKILL'));
  return child;
}

/** Resolves when a process prints something that matches, and rejects when it ends without. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (chunk: Buffer) => {
      text += chunk;
      if (pattern.test(text)) resolve(text);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('close', (code, signal) => reject(new Error(`ended by ${signal ?? code}: ${text}`)));
  });
}

export async function endOf(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  if (child.exitCode !== null || child.signalCode !== null) return { code: child.exitCode, signal: child.signalCode };
  const [code, signal] = await once(child, 'exit');
  return { code, signal };
}

/**
 * Does what an operator does about the unknown rows of a list: reconciles. Once nothing else is left, the operator
 * looks up the undecided rows in the service's records. Resolves with the number of sent rows.
 */
export async function decideUnknown(bulk: Bulk, sandbox: Sandbox): Promise<number> {
  // What was on its way has arrived: the caller waits for it, so the clock need not.
  advanceClock(60_000);
  const { undecided } = await bulk.reconcile();
  if (bulk.status().counts.pending === 0) {
    const given = sentTo(sandbox);
    for (const [from, to] of undecided.flatMap(({ ranges }) => ranges))
      for (let row = from; row <= to; row++) {
        const as = given.has(`0912${String(row).padStart(7, '0')}`) ? 'sent' : 'not-sent';
        await bulk.resolve({ ranges: [[row, row]], as });
      }
  }
  return bulk.status().counts.sent;
}

/** All rules but one. */
export function rulesWithout(part: keyof Rules, name: string): Rules {
  const { [name]: rule, ...others } = allRules[part] as Readonly<Record<string, unknown>>;
  expect(rule).toBeDefined();
  return { ...allRules, [part]: others };
}

/** The receptor of a row of csvOf. */
export function receptorOf(row: number): string {
  return `0912${String(row).padStart(7, '0')}`;
}

/** A list with another journal than its own. */
export function withJournal({ plan, rows, given }: List, journal: BulkJournal): List {
  return { plan, rows, given, state: journal.state, journal, maySend: () => true } as unknown as List;
}
