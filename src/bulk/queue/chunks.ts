import { type RowRange, rowsIn } from '../state/records';

/** The number of rows that go to the disk and to Redis together. */
const CHUNK_ROWS = 1000;

/** Splits batches into chunks. */
export async function* chunksOf<Batch extends { readonly range: RowRange }>(
  batches: Iterable<Batch> | AsyncIterable<Batch>,
): AsyncGenerator<readonly Batch[]> {
  let [chunk, rows]: [Batch[], number] = [[], 0];
  for await (const batch of batches) {
    chunk.push(batch);
    rows += rowsIn(batch.range);
    if (rows < CHUNK_ROWS) continue;
    yield chunk;
    [chunk, rows] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}
