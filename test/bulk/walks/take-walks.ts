import { makeFolder } from '../../support/folder';
import { Random } from '../../support/random';
import { watchProcesses } from './processes';
import type { Walk } from './walk';

// Forty walks take a minute of CPU, which a busy machine may not give them in ten minutes.
jest.setTimeout(7_200_000);

const { MESSAGING_SEED, MESSAGING_WALKS } = process.env;
const FIRST = Number(MESSAGING_SEED ?? 1);

/**
 * Takes so many walks, of the seeds from 1, and returns what damage they did. To repeat one, and print all that happened:
 * MESSAGING_SEED=4711 npx jest test/bulk/walks. MESSAGING_WALKS gives another number of walks.
 *
 * @param steps the number of steps of each walk
 */
export async function takeWalks(
  walks: number,
  steps: number,
  begin: (random: Random, folder: string) => Walk | Promise<Walk>,
): Promise<object[]> {
  const damaged: object[] = [];
  const end = FIRST + Number(MESSAGING_WALKS ?? (MESSAGING_SEED ? 1 : walks));
  for (let seed = FIRST; seed < end; seed++) {
    const random = new Random(seed);
    const restore = watchProcesses((length) => random.below(length + 1));
    const walk = await begin(random, makeFolder());
    try {
      const { twice, untrue, forgotten } = await walk.walk(steps);
      if (twice.length + untrue.length + forgotten.length > 0) damaged.push({ seed, twice, untrue, forgotten });
      walk.remove();
    } catch (error) {
      damaged.push({ seed, error });
    } finally {
      if (MESSAGING_SEED) console.log(walk.found.log.join('\n'));
      restore();
    }
  }
  return damaged;
}
