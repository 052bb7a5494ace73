import './walks/virtual-clock';

import { makeFolder } from '../support/folder';
import { isFull, loopSize } from '../support/loops';
import { Random } from '../support/random';
import { shareRedis } from './queue-support';
import { watchProcesses } from './walks/processes';
import { QueueWalk, watchRedis } from './walks/queue-walk';

if (isFull) jest.setTimeout(7_200_000);

const FIRST = Number(process.env.MESSAGING_SEED ?? 1);
const WALKS = Number(process.env.MESSAGING_WALKS ?? (process.env.MESSAGING_SEED ? 1 : loopSize(1000)));

const shared = shareRedis();

test('whatever happens to a folder of lists and to the workers of a queue, nobody gets a message again without being asked', async () => {
  const damaged: object[] = [];
  for (let seed = FIRST; seed < FIRST + WALKS; seed++) {
    await shared.redis.flushAll();
    const random = new Random(seed);
    const restores = [watchProcesses((length) => random.below(length + 1)), watchRedis()];
    const walk = new QueueWalk(random, makeFolder(), shared.server, shared.redis);
    try {
      const { twice, untrue, forgotten } = await walk.walk(20);
      if (twice.length + untrue.length + forgotten.length > 0) damaged.push({ seed, twice, untrue, forgotten });
      walk.remove();
    } catch (error) {
      damaged.push({ seed, error });
    } finally {
      if (process.env.MESSAGING_SEED) console.log(walk.found.log.join('\n'));
      for (const restore of restores) restore();
    }
  }
  expect(damaged).toEqual([]);
});
