import { allRules, type Rules } from '../../../src/bulk/reconcile/conclude';
import { reconcile } from '../../../src/bulk/reconcile/reconcile';
import { isFull } from '../../support/loops';
import { rulesWithout } from '../support';
import { type Play, playWorld, type RuleSet } from './world';

// In full: MESSAGING_LOOPS=full npx jest worlds
const [WORLDS, LARGE_WORLDS] = isFull ? [20_000, 100] : [20, 1];

const rulesOf =
  (rules: Rules): RuleSet =>
  (list, client, settings) =>
    reconcile(list, client, { ...settings, settleMs: 0, rules });

const adopted = rulesOf(allRules);

/** Adds up what happened in worlds. */
async function playWorlds(play: Play, worlds: number, firstSeed = 1) {
  const sum = { twice: 0, untrue: 0, decided: 0, asked: 0, damaged: [] as number[] };
  for (let seed = firstSeed; seed < firstSeed + worlds; seed++) {
    const { twice, untrue, decided, asked } = await playWorld(seed, play);
    sum.twice += twice;
    sum.untrue += untrue;
    sum.decided += decided;
    sum.asked += asked;
    if (twice + untrue > 0) sum.damaged.push(seed);
  }
  return sum;
}

test('in random worlds, what a reconciliation concludes never makes a row be sent twice, or be called sent when it was not', async () => {
  const { decided, damaged } = await playWorlds({ rules: adopted }, WORLDS);
  expect(damaged).toEqual([]);
  // A reconciliation that never concludes would pass as well.
  expect(decided).toBeGreaterThan(WORLDS / 4);
});

// A service that keeps the latest messages of a mode; one that doubles some messages, unlike those of most rows; one
// that lists the oldest messages, newest first within a date; two whose dates are late by different times; three that
// hide the older of two equal rows; two that list ten or sixteen messages of each line; two whose latest page has the
// oldest messages of its date; four that double the messages of some receptors, one of them with other dates; one that
// keeps the latest messages of a mode, in reverse within a date; and one that shows a line as another, which it hides.
const worlds = [
  2185, 3_052_868, 3_068_186, 6_024_739, 8_099_079, 31_001_034, 8_110_425, 60_157_633, 60_197_228, 60_092_255,
  60_241_320, 50_121_668, 70_011_454, 90_020_367, 95_018_133, 95_043_092, 2_000_813, 95_071_710, 2_038_155,
];
test.each(worlds)('world %i, which earlier rules damaged, is not damaged', async (seed) => {
  expect(await playWorld(seed, { rules: adopted })).toMatchObject({ twice: 0, untrue: 0 });
});

test('four of five unknown rows are decided where the service lists everything as it was sent', async () => {
  const { decided, asked, damaged } = await playWorlds({ rules: adopted, isHonest: true }, WORLDS);
  expect(damaged).toEqual([]);
  expect(decided / asked).toBeGreaterThan(0.8);
});

test.each(['cut at the newest end', 'of any size', 'of one is the oldest'] as const)(
  'a service whose page is %s makes no row be sent twice',
  async (page) => {
    for (const isHonest of [true, false])
      expect(await playWorlds({ rules: adopted, isHonest, page }, WORLDS / 4, 500_000)).toMatchObject({ damaged: [] });
  },
);

test('where a second list with the same texts is sent, three of four unknown rows are decided, and none wrongly', async () => {
  const { decided, asked, damaged } = await playWorlds({ rules: adopted, isHonest: true, hasSecondList: true }, WORLDS);
  expect(damaged).toEqual([]);
  expect(decided / asked).toBeGreaterThan(0.7);
  const nasty = await playWorlds({ rules: adopted, hasSecondList: true }, WORLDS, 700_000);
  expect(nasty.damaged).toEqual([]);
});

test('among thousands of unknown rows, none is sent twice or called sent when it was not', async () => {
  for (const isHonest of isFull ? [true, false] : [false]) {
    const { asked, damaged } = await playWorlds({ rules: adopted, isHonest, isLarge: true }, LARGE_WORLDS, 900_000);
    expect(damaged).toEqual([]);
    expect(asked).toBeGreaterThan(1000 * LARGE_WORLDS);
  }
});

describe('a broken program', () => {
  test.each(['no intent', 'no settling', 'no baseline'] as const)(
    'with %s is noticed by the worlds',
    async (defect) => {
      let damage = 0;
      for (let seed = 1; seed <= 100 && damage === 0; seed++) {
        const { twice, untrue } = await playWorld(seed, { rules: adopted, defect, isHonest: true });
        damage += twice + untrue;
      }
      expect(damage).toBeGreaterThan(0);
    },
  );
});

// Four rules have their listings in other tests. In reconcile.test.ts, cover.order and cover.older. In
// cut-listings.test.ts, cover.olderDate: a listing that is cut within a date; and group.similar: a row with the content
// of another unknown row.
test.each([
  ['group', 'repeated', 35_498],
  ['group', 'mayBeOlder', 939],
  ['group', 'count', 584],
  ['group', 'doubled', 719],
  ['absence', 'newest', 784],
  ['absence', 'comparable', 961],
  ['absence', 'similar', 1149],
] as const)('without the rule %s.%s, world %i is damaged', async (part, name, seed) => {
  const { twice, untrue } = await playWorld(seed, { rules: rulesOf(rulesWithout(part, name)) });
  expect(twice + untrue).toBeGreaterThan(0);
  expect(await playWorld(seed, { rules: adopted })).toMatchObject({ twice: 0, untrue: 0 });
});
