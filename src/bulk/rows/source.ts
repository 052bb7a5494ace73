import { readCsv } from './csv';
import { InputError } from './input-error';
import type { BulkInput, RawRow, RowChunk, SourceEvents } from './raw-rows';

/**
 * The rows of an input, from the first.
 *
 * @throws {InputError} when the input cannot be read at all
 */
export function readSource(input: BulkInput, events: SourceEvents): AsyncIterable<RowChunk> {
  return typeof input === 'string' ? readCsv(input, events) : readObjects(input);
}

async function* readObjects(input: Iterable<RawRow> | AsyncIterable<RawRow>): AsyncIterable<RowChunk> {
  if (!isRepeatable(input)) {
    const message = 'input: a path is needed, or rows that can be gone through more than once, such as an array';
    throw new InputError([{ row: undefined, message }], 1);
  }
  let chunk: RawRow[] = [];
  for await (const row of input) {
    chunk.push(row);
    if (chunk.length < 256) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}

/** A generator is its own iterator, and can be gone through only once. */
function isRepeatable(input: Iterable<RawRow> | AsyncIterable<RawRow>): boolean {
  if (typeof input !== 'object' || input === null) return false;
  const sync = (input as Partial<Iterable<RawRow>>)[Symbol.iterator];
  const iterator = sync ? sync.call(input) : (input as AsyncIterable<RawRow>)[Symbol.asyncIterator]?.();
  return iterator !== undefined && (iterator as unknown) !== input;
}
