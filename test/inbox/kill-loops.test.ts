import { isFull, loopSize, testInFull } from '../support/loops';
import { receiveUnderFire } from './kills';

if (isFull) jest.setTimeout(3_600_000);

test('an inbox that is killed at any instant loses no message, and repeats one only if it died in its handler', async () => {
  const kills = loopSize(300);
  const result = await receiveUnderFire(kills);
  if (isFull) console.log(result);
  expect(result).toMatchObject({ lost: 0, wronglyTwice: 0, kills });
  if (isFull) expect(result.killedAt.size).toBe(13);
});

testInFull('the loop finds the loss of an inbox that does not look at the messages listed as read', async () => {
  let lost = 0;
  for (let list = 0; list < 10 && lost === 0; list++) lost = (await receiveUnderFire(8, false)).lost;
  expect(lost).toBeGreaterThan(0);
});
