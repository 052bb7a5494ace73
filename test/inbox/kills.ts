import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folder';
import { outcomeOf, programPath, startNode } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { receive } from './support';

/** The kinds of instants at which the program reader.ts is killed. */
const places = [
  ...['before a request', 'in a response', 'after a response'],
  ...['before a write', 'in a write', 'after a write', 'before a sync', 'after a sync'],
  ...['before the new journal', 'after the new journal'],
  ...['before the handler', 'in the handler', 'after the handler'],
] as const;
export type Place = (typeof places)[number];

/** What the program reader.ts does. */
export interface ReaderOptions {
  readonly baseUrl: string;
  readonly journal: string;
  /** The file of what happened. */
  readonly log: string;
  /** The program kills itself when it passes this place for the n-th time. */
  readonly kill?: { readonly where: Place; readonly count: number } | undefined;
  /** The value that lists read messages. Without it there is no look at them. */
  readonly read?: number;
  /** The days by which the program's clock is ahead. */
  readonly daysAhead: number;
  /** The probability with which a handler fails. */
  readonly failing: number;
}

/** What became of the messages. */
export interface KillResult {
  readonly lost: number;
  /** The messages that a handler got again although no process died in it, or without `redelivered`. */
  readonly wronglyTwice: number;
  /** The messages that a handler got again after a process died in it. */
  readonly twice: number;
  readonly kills: number;
  /** The number of kills at each place. */
  readonly killedAt: ReadonlyMap<string, number>;
}

/**
 * Receives messages while the program is killed again and again, and responses are lost. The service marks as read what
 * it gives.
 *
 * @param withLook false to leave out the look at the messages that are listed as read
 */
export async function receiveUnderFire(kills: number, withLook = true): Promise<KillResult> {
  const sandbox = await openSandbox();
  const folder = makeFolder();
  const files = { journal: join(folder, 'inbox.journal'), log: join(folder, 'log') };
  const start = async (daysAhead: number, kill?: ReaderOptions['kill']): Promise<boolean> => {
    const options: ReaderOptions = {
      ...{ ...files, baseUrl: sandbox.baseUrl, kill, daysAhead, failing: kill ? 0.2 : 0 },
      ...(withLook && { read: 1 }),
    };
    const child = startNode([programPath('reader'), JSON.stringify(options)]);
    const outcome = await outcomeOf(child).catch(() => undefined);
    if (outcome !== undefined && outcome.code !== 0) throw new Error(outcome.stderr);
    return outcome === undefined;
  };
  // The first start records what is listed as read.
  await start(0);
  const expected: bigint[] = [];
  let killed = 0;
  for (let round = 1; killed < kills; round++) {
    expected.push(...receive(sandbox, ['one', 'two', 'three'].slice(0, 1 + (round % 3))));
    if (Math.random() < 0.2) sandbox.reply('ReceiveByApikey', { drop: 'after' });
    const where = places[round % places.length] as Place;
    // A run replaces its journal once at most.
    const count = where.endsWith('the new journal') ? 1 : 1 + Math.floor(Math.random() * 5);
    if (await start(round, { where, count })) killed += 1;
  }
  await start(0);
  return judge(expected.map(String), readFileSync(files.log, 'utf8'));
}

/** Reads what happened: lines such as `begin 7 false`, `end 7`, `fail 7` and `killed in a write`. */
function judge(expected: readonly string[], log: string): KillResult {
  const done = new Set<string>();
  /** The messages in whose handler a process died, or whose handler failed. */
  const mayRepeat = new Set<string>();
  const begun = new Set<string>();
  const killedAt = new Map<string, number>();
  let [last, twice, wronglyTwice, kills] = ['', 0, 0, 0];
  for (const line of log.split('\n')) {
    const [what, id = '', redelivered] = line.split(' ');
    if (what === 'begin') {
      if (begun.has(id) && !(mayRepeat.has(id) && redelivered === 'true')) wronglyTwice += 1;
      if (done.has(id)) twice += 1;
      begun.add(id);
      mayRepeat.delete(id);
      last = id;
    } else if (what === 'end') done.add(id);
    else if (what === 'fail') mayRepeat.add(id);
    else if (what === 'killed') {
      kills += 1;
      killedAt.set(line, (killedAt.get(line) ?? 0) + 1);
      mayRepeat.add(last);
      last = '';
    }
  }
  return { lost: expected.filter((id) => !done.has(id)).length, wronglyTwice, twice, kills, killedAt };
}
