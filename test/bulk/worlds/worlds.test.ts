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
