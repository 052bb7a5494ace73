import { InputError, type Problem } from '../errors';
import { readCsv } from './csv';

/** A row as it was given: values by column. */
export type RawRow = Readonly<Record<string, unknown>>;

/** A path of a CSV file in UTF-8 with a header, or row objects that can be gone through more than once. */
export type BulkInput = string | Iterable<RawRow> | AsyncIterable<RawRow>;

/** What is told while rows are read. */
export interface SourceEvents {
  /** The columns of all rows of a file, before its first row. */
  onColumns(columns: readonly string[]): void;
  onProblem(problem: Problem): void;
}

/** Some rows in their order. One that cannot be read was told as a problem, and is undefined. */
export type RowChunk = readonly (RawRow | undefined)[];

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
