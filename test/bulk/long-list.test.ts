import { makeFolder } from '../support/folder';
import { isFull } from '../support/loops';
import { outcomeOf, programPath, startNode } from '../support/process';
import { csvOf } from './support';

/** Below that, what the heap takes in any case hides what a row takes. */
const FEW = 200_000;
const ROWS = 1_000_000;

// It takes minutes on a busy machine.
(isFull ? test : test.skip)(
  'a million rows take less than 100 bytes a row, to send and to resume (MESSAGING_LOOPS=full)',
  async () => {
    const measure = async (input: string) => {
      const { stdout } = await outcomeOf(startNode([programPath('long-list'), input]));
      return JSON.parse(stdout);
    };
    const [few, many] = [FEW, ROWS].map((rows) => csvOf(rows, makeFolder(), ['receptor']).input) as [string, string];
    for (const _ of ['sent', 'resumed']) {
      const [least, most] = [await measure(few), await measure(many)];
      expect(most.counts).toMatchObject({ total: ROWS, sent: ROWS });
      expect((most.peak - least.peak) / (ROWS - FEW)).toBeLessThan(100);
    }
  },
);
