import './skip-settling';

import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { openBulk } from '../../src/bulk';
import { isFull, testInFull } from '../support/loops';
import { startSlowWay } from './proxy';
import {
  csvOf,
  damageOf,
  decideUnknown,
  endOf,
  fields,
  type ProgramOptions,
  printed,
  startSender,
  startService,
} from './support';

if (isFull) jest.setTimeout(3_600_000);

const ROWS = isFull ? 160 : 60;
type Variant = Pick<ProgramOptions, 'operation' | 'batchSize' | 'defect'>;

const ways: readonly [name: string, variant: Variant][] = [
  ['one row a request', { operation: 'sendSimple', batchSize: 1 }],
  ['25 rows a request', { operation: 'sendArray', batchSize: 25 }],
];

describe.each(ways)('killed at random instants, %s', (_, variant) => {
  const kills = isFull ? 125 : 1;

  test('no row is sent twice, and none is lost', async () => {
    expect(await sendUnderFire(kills, variant, false)).toEqual({ twice: 0, lost: 0 });
  });

  test('the same when each kill takes what was not on the disk yet, as a power loss does', async () => {
    expect(await sendUnderFire(kills, variant, true)).toEqual({ twice: 0, lost: 0 });
  });
});

describe('these loops find the damage of', () => {
  testInFull.each([
    ['a sender that writes down what was sent only afterwards', 'no intent', false],
    ['a sender that does not wait for the disk, when the power goes', 'no sync', true],
  ] as const)('%s', async (_, defect, cut) => {
    let twice = 0;
    for (let list = 0; list < 10 && twice === 0; list++) twice = (await sendUnderFire(4, { defect }, cut)).twice;
    expect(twice).toBeGreaterThan(0);
  });
});

interface Damage {
  readonly twice: number;
  readonly lost: number;
}

/** Sends lists until there were so many kills, and sums up what the service has got. */
async function sendUnderFire(kills: number, variant: Variant, cut: boolean): Promise<Damage> {
  let [left, twice, lost] = [kills, 0, 0];
  while (left > 0) {
    const list = await sendList(left, variant, cut);
    left -= list.kills;
    twice += list.twice;
    lost += list.lost;
  }
  return { twice, lost };
}

/**
 * Leaves a journal as a power loss does: without the bytes that were not on the disk, or with zeros in the place of
 * some.
 */
function losePart(journal: string, synced: number, { defect }: Variant): void {
  const lost = statSync(journal).size - synced;
  // A journal that was never synced, and says that it was, would be refused.
  if (defect !== undefined || Math.random() < 0.5) {
    truncateSync(journal, synced);
    return;
  }
  const file = openSync(journal, 'r+');
  writeSync(file, Buffer.alloc(Math.floor(Math.random() * lost)), 0, undefined, synced);
  closeSync(file);
}

/**
 * Sends a list while its sender is killed at random instants, at most so often. After each kill the unknown rows are
 * looked up, and sent again when they are not found.
 */
async function sendList(kills: number, variant: Variant, cut: boolean): Promise<Damage & { readonly kills: number }> {
  const { sandbox, client } = await startService();
  const way = await startSlowWay(sandbox.baseUrl, 20);
  const { input, journal } = csvOf(ROWS);
  const synced = `${journal}.synced`;
  const { operation, batchSize } = variant;
  const options = { input, operation, batchSize };
  let killed = 0;
  for (;;) {
    const size = existsSync(journal) ? statSync(journal).size : 0;
    const child = await startSender({ ...options, ...variant, baseUrl: way.baseUrl, synced });
    const dies = killed < kills;
    if (dies) {
      await printed(child, /running/);
      // Counted in requests, so that the instants are as random on a slow machine. The file may be sent before.
      const requests = (Math.random() * ROWS) / (variant.batchSize ?? 1) / 6;
      await Promise.race([way.pieces(Math.floor(requests)), endOf(child)]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
      if (child.kill('SIGKILL')) killed += 1;
    }
    await endOf(child);
    // What was on its way has arrived, so a reconciliation need not wait for it.
    await way.idle();
    // A kill during the baseline leaves no journal.
    if (cut && dies && existsSync(journal)) losePart(journal, Number(readFileSync(synced, 'utf8')) || size, variant);
    rmSync(synced, { force: true });
    const bulk = await openBulk({ ...options, client, fields });
    const sent = await decideUnknown(bulk, sandbox);
    await bulk.close();
    if (sent === ROWS) return { ...damageOf(sandbox, ROWS), kills: killed };
  }
}
