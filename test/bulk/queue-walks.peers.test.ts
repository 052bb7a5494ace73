import './walks/virtual-clock';

import { loopSize } from '../support/loops';
import { shareRedis } from './queue-support';
import { QueueWalk, watchRedis } from './walks/queue-walk';
import { takeWalks } from './walks/take-walks';

const shared = shareRedis();
watchRedis();

test('whatever happens to a folder of lists and to the workers of a queue, nobody gets a message again without being asked', async () => {
  const damaged = await takeWalks(loopSize(1000), 20, async (random, folder) => {
    await shared.redis.flushAll();
    return new QueueWalk(random, folder, shared.server, shared.redis);
  });
  expect(damaged).toEqual([]);
});
