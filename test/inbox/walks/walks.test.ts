import './virtual-clock';

import { InboxState } from '../../../src/inbox/inbox-journal';
import { LineState } from '../../../src/inbox/line-state';
import { InboxListing } from '../../../src/inbox/listing';
import { KnownMessages } from '../../../src/inbox/message-mark';
import { Journal } from '../../../src/journal/journal';
import { cleanUp } from '../../support/clean-up';
import { makeFolder } from '../../support/folder';
import { isFull, testInFull } from '../../support/loops';
import { Random } from '../../support/random';
import { clock } from './clock';
import { WalkMachine } from './machine';
import { READ } from './service';
import { Walk } from './walk';

if (isFull) jest.setTimeout(3_600_000);

/** Each run takes other walks. To repeat one: WALK_SEED=4711 WALKS=1 npx jest test/inbox/walks */
const { WALK_SEED, WALKS } = process.env;
const FIRST_SEED = Number(WALK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const COUNT = Number(WALKS ?? (isFull ? 2000 : 20));

let machine: WalkMachine;
beforeEach(() => {
  machine = new WalkMachine();
  const spies = [
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

/** Changes that make an inbox wrong, with the words of the judge. Most give a method another result than its own. */
const mistakes: readonly [mistake: string, words: RegExp, make: () => jest.SpyInstance][] = [
  [
    'takes an id for the message',
    /lacks messages|lost/,
    () => change(KnownMessages.prototype, 'compare', (is) => (is === 'reused' ? 'known' : is)),
  ],
  [
    'takes each date for a new message',
    /is handled again/,
    () => change(KnownMessages.prototype, 'compare', (is) => (is === 'redated' ? 'new' : is)),
  ],
  [
    'has no first look at a service that has moved',
    /is old, and is handed out/,
    () => replace(LineState.prototype, 'forgetValues', () => undefined),
  ],
  [
    'lists no read messages after the first look',
    /lost|swapped/,
    () => replace(InboxListing.prototype, 'list', listFirst),
  ],
  ['believes that each service marks', /swapped|nobody asks/, () => change(LineState.prototype, 'marks', () => true)],
  ['forgets the calls of a handler', /without redelivered/, () => change(InboxState.prototype, 'apply', forgetCalls)],
  ['never finds that values are swapped', /swapped/, () => change(LineState.prototype, 'keeps', () => true)],
  ['has no first look', /is old, and is handed out/, () => change(LineState.prototype, 'hasBaseline', () => true)],
  [
    'takes what a first look lists as read for new',
    /is old, and is handed out/,
    () => change(LineState.prototype, 'hasLooked', () => true),
  ],
  [
    'does not wait until a record is written',
    /lacks messages|lost|redelivered/,
    () => replace(Journal.prototype, 'flush', async () => undefined),
  ],
];

type Method = (...args: never[]) => unknown;
type Methods<T> = { [N in keyof T]: T[N] extends Method ? N : never }[keyof T] & string;

function replace<T extends object>(prototype: T, name: Methods<T>, method: Method): jest.SpyInstance {
  return jest.spyOn(prototype as never, name as never).mockImplementation(method as never);
}

/** @param result makes another result of the right one */
function change<T extends object, N extends Methods<T>>(
  prototype: T,
  name: N,
  result: (right: ReturnType<Extract<T[N], Method>>, object: T) => unknown,
): jest.SpyInstance {
  const right = prototype[name] as unknown as (this: T, ...args: unknown[]) => never;
  return replace(prototype, name, function (this: T, ...args: unknown[]) {
    return result(right.apply(this, args), this);
  } as Method);
}

function forgetCalls(isApplied: boolean, { unhandled }: InboxState): boolean {
  for (const message of unhandled.values()) message.called = false;
  return isApplied;
}

const { list } = InboxListing.prototype;

function listFirst(this: InboxListing, ...args: Parameters<typeof list>): ReturnType<typeof list> | readonly [] {
  const [, isread, kind] = args;
  return isread === READ && kind === 'message' ? [] : list.apply(this, args);
}

testInFull.each(mistakes)('the walks find an inbox that %s', async (_, words, make) => {
  const mistake = make();
  cleanUp(() => mistake.mockRestore());
  let found: string | undefined;
  for (let seed = 1; seed < 300 && found === undefined; seed++) found = await take(seed);
  expect(found?.split('\n')[0]).toMatch(words);
});
