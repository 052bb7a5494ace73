import { foundRules, notFoundRules, type Rules } from '../../../src/bulk/reconcile/conclude';
import { loopSize } from '../../support/loops';
import { playWorld } from './world';

test('in random worlds, what a reconciliation concludes never makes a row be sent twice, or be called sent when it was not', async () => {
  const concluded = { found: 0, notFound: 0 };
  for (let seed = 1; seed <= loopSize(20_000); seed++) {
    const { twice, lost, found, notFound } = await playWorld(seed);
    expect({ seed, twice, lost }).toEqual({ seed, twice: 0, lost: 0 });
    concluded.found += found;
    concluded.notFound += notFound;
  }
  // A reconciliation that never concludes would pass as well.
  expect(concluded.found).toBeGreaterThan(loopSize(20_000) / 10);
  expect(concluded.notFound).toBeGreaterThan(loopSize(20_000) / 50);
});

/** All rules but one. */
function rulesWithout(verdict: keyof Rules, name: string): Rules {
  const others = (rules: object) => Object.entries(rules).flatMap(([each, rule]) => (each === name ? [] : [rule]));
  return {
    found: verdict === 'found' ? others(foundRules) : Object.values(foundRules),
    notFound: verdict === 'notFound' ? others(notFoundRules) : Object.values(notFoundRules),
  };
}

// Among 20,000 worlds none was damaged without these rules: found.several, notFound.alike, notFound.olderDate, notFound.newerDate.
test.each([
  ['found', 'alike', 11_192],
  ['found', 'older', 6],
  ['notFound', 'order', 654],
  ['notFound', 'older', 1431],
  ['notFound', 'newer', 113],
  ['notFound', 'gap', 10_025],
  ['notFound', 'peer', 832],
  ['notFound', 'similar', 15],
] as const)('without the rule %s.%s, world %i is damaged', async (verdict, name, seed) => {
  const { twice, lost } = await playWorld(seed, rulesWithout(verdict, name));
  expect(twice + lost).toBeGreaterThan(0);
});
