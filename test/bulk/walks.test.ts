import './walks/virtual-clock';

import { loopSize } from '../support/loops';
import { takeWalks } from './walks/take-walks';
import { Walk } from './walks/walk';

test('whatever a person does to a folder of lists, nobody gets a message again without being asked, and none is forgotten', async () => {
  expect(await takeWalks(loopSize(2000), 24, (random, folder) => new Walk(random, folder))).toEqual([]);
});
