import { streamRecords } from '../../src/client/record-stream';
import { noMasker } from '../../src/internal/mask';

test('records that arrive while reading is resumed are yielded, and reading goes on', async () => {
  const arriving = [600, 600, 10].map((length) => new Array<number>(length).fill(0));
  const stream = streamRecords<number>({ operation: 'SelectlatestByApikey', ...noMasker }, (consumer) => {
    const settled = new Promise((resolve) => {
      const read = (): void => {
        const records = arriving.shift();
        if (!records) resolve(undefined);
        else if (consumer.push(records, read)) read();
      };
      read();
    });
    return { signal: undefined, settled };
  });
  let count = 0;
  for await (const _ of stream) count++;
  expect(count).toBe(1_210);
});
