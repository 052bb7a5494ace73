import { type BulkClient, openBulk } from '../../src/bulk';
import { makeFolder } from '../support/folder';
import { testInFull } from '../support/loops';
import { outcomeOf, programPath, startNode } from '../support/process';
import { csvOf, fields } from './support';

/** Below that, what the heap takes in any case hides what a row takes. */
const FEW = 200_000;
const ROWS = 1_000_000;

testInFull('a million rows take less than 100 bytes a row, to send and to resume (MESSAGING_LOOPS=full)', async () => {
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
});

testInFull('an operator can record the outcome of 200,000 unknown rows at once', async () => {
  const { input } = csvOf(200_000, makeFolder(), ['receptor']);
  const client = { sendSimple: () => Promise.reject(new Error('the response was lost')) } as unknown as BulkClient;
  const options = { client, input, fields: { ...fields, message: 'Hello' }, batchSize: 1000 };
  const bulk = await openBulk(options);
  await bulk.run({ once: true, baselinePagesize: 0, stopAfterFailures: 0 });
  expect(bulk.status().counts.unknown).toBe(200_000);
  await bulk.resolve({ ranges: [[1, 200_000]], as: 'sent' });
  await bulk.close();
  expect((await openBulk(options)).status().counts.sent).toBe(200_000);
});
