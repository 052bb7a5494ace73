import timers from 'node:timers/promises';
import { KnownMessages } from '../../../src/inbox/message-mark';
import { cleanUp } from '../../support/clean-up';
import { makeFolder } from '../../support/folder';
import { isFull, loopSize } from '../../support/loops';
import { Random } from '../../support/random';
import { clock } from './clock';
import { WalkMachine } from './machine';
import { Walk } from './walk';

if (isFull) jest.setTimeout(3_600_000);

/** Each run takes other walks. To repeat one: WALK_SEED=4711 WALKS=1 npx jest test/inbox/walks */
const { WALK_SEED, WALKS } = process.env;
const FIRST_SEED = Number(WALK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const COUNT = Number(WALKS ?? loopSize(2000));

let machine: WalkMachine;
beforeEach(() => {
  machine = new WalkMachine();
  const wait = async (ms = 0, _?: unknown, { signal }: { signal?: AbortSignal } = {}) => clock.wait(ms, signal);
  const spies = [
    jest.spyOn(timers, 'setTimeout').mockImplementation(wait as never),
    jest.spyOn(performance, 'now').mockImplementation(() => clock.now),
    jest.spyOn(Date, 'now').mockImplementation(() => clock.now),
  ];
  cleanUp(() => {
    machine.close();
    for (const spy of spies) spy.mockRestore();
  });
});

/** Takes a walk. Returns what went wrong, and all that happened. */
async function take(seed: number): Promise<string | undefined> {
  clock.now = 1_700_000_000_000;
  const walk = new Walk(new Random(seed), machine, makeFolder());
  await walk.take();
  const { problems, log } = walk.judge;
  return problems.length > 0 ? `seed ${seed}: ${problems[0]}\n${log.join('\n')}` : undefined;
}

test('no walk of a service, a program and its user loses a message, repeats one, or says what is not true', async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed++) expect(await take(seed)).toBeUndefined();
});

test('the walks find an inbox that takes an id for the message', async () => {
  const { compare } = KnownMessages.prototype;
  const worse = jest.spyOn(KnownMessages.prototype, 'compare').mockImplementation(function (
    this: KnownMessages,
    ...args
  ) {
    const found = compare.apply(this, args);
    return found === 'reused' ? 'known' : found;
  });
  cleanUp(() => worse.mockRestore());
  let found: string | undefined;
  for (let seed = 1; seed < 100 && found === undefined; seed++) found = await take(seed);
  expect(found).toBeDefined();
});
