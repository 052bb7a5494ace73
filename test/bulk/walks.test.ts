import './walks/virtual-clock';

import { makeFolder } from '../support/folder';
import { isFull, loopSize } from '../support/loops';
import { Random } from '../support/random';
import { watchProcesses } from './walks/processes';
import { Walk } from './walks/walk';

if (isFull) jest.setTimeout(3_600_000);

const FIRST = Number(process.env.MESSAGING_SEED ?? 1);
const WALKS = process.env.MESSAGING_SEED ? 1 : loopSize(2000);

test('whatever a person does to a folder of lists, nobody gets a message again without being asked, and none is forgotten', async () => {
  const damaged: object[] = [];
  for (let seed = FIRST; seed < FIRST + WALKS; seed++) {
    const random = new Random(seed);
    const restore = watchProcesses((length) => random.below(length + 1));
    const walk = new Walk(random, makeFolder());
    try {
      const { twice, untrue, forgotten } = await walk.walk(24);
      if (twice.length + untrue.length + forgotten.length > 0) damaged.push({ seed, twice, untrue, forgotten });
      walk.remove();
    } catch (error) {
      damaged.push({ seed, error });
    } finally {
      if (process.env.MESSAGING_SEED) console.log(walk.found.log.join('\n'));
      restore();
    }
  }
  expect(damaged).toEqual([]);
});
