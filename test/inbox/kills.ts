import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from '../../src/sandbox';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { outcomeOf, programPath, startNode } from '../support/process';
import { receive } from './support';

/** What the program reader.ts does. */
export interface ReaderOptions {
  readonly baseUrl: string;
  readonly journal: string;
  /** The file of what happened. */
  readonly log: string;
  /** The number of the instant at which the program kills itself; 0 for never. */
  readonly killAt: number;
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
  /** The number of kills at each instant. */
  readonly places: ReadonlyMap<string, number>;
}

/**
 * Receives messages while the program is killed again and again, and responses are lost. The service marks as read what it gives.
 *
 * @param withLook false to leave out the look at the messages that are listed as read
 */
export async function receiveUnderFire(kills: number, withLook = true): Promise<KillResult> {
  const sandbox = await startSandbox();
  cleanUp(() => sandbox.close());
  const folder = makeFolder();
  const files = { journal: join(folder, 'inbox.journal'), log: join(folder, 'log') };
  const start = async (killAt: number, daysAhead: number): Promise<boolean> => {
    const options: ReaderOptions = {
      ...{ ...files, baseUrl: sandbox.baseUrl, killAt, daysAhead, failing: killAt > 0 ? 0.2 : 0 },
      ...(withLook && { read: 1 }),
    };
    const child = startNode([programPath('reader'), JSON.stringify(options)]);
    const outcome = await outcomeOf(child).catch(() => undefined);
    if (outcome !== undefined && outcome.code !== 0) throw new Error(outcome.stderr);
    return outcome === undefined;
  };
  // The first start records what is listed as read.
  await start(0, 0);
  const expected: bigint[] = [];
  let killed = 0;
  for (let round = 1; killed < kills; round++) {
    expected.push(...receive(sandbox, ['one', 'two', 'three'].slice(0, 1 + (round % 3))));
    if (Math.random() < 0.2) sandbox.reply('ReceiveByApikey', { drop: 'after' });
    if (await start(1 + Math.floor(Math.random() * 70), round)) killed += 1;
  }
  await start(0, 0);
  return judge(expected.map(String), readFileSync(files.log, 'utf8'));
}

/** Reads what happened: lines such as `begin 7 false`, `end 7`, `fail 7` and `killed in a write`. */
function judge(expected: readonly string[], log: string): KillResult {
  const done = new Set<string>();
  /** The messages in whose handler a process died, or whose handler failed. */
  const mayRepeat = new Set<string>();
  const begun = new Set<string>();
  const places = new Map<string, number>();
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
      places.set(line, (places.get(line) ?? 0) + 1);
      mayRepeat.add(last);
      last = '';
    }
  }
  return { lost: expected.filter((id) => !done.has(id)).length, wronglyTwice, twice, kills, places };
}
