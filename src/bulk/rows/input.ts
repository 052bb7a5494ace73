import { InputError, type InputProblem } from './input-error';

/** A row as it was given: values by column. */
export type RawRow = Readonly<Record<string, unknown>>;

/** The path of a CSV file in UTF-8 with a header, or row objects that can be read more than once, such as an array. */
export type BulkInput = string | Iterable<RawRow> | AsyncIterable<RawRow>;

/** Called while rows are read. */
export interface InputEvents {
  /** Receives the columns of all rows of a file, before its first row. */
  onColumns(columns: readonly string[]): void;
  onProblem(problem: InputProblem): void;
}

/** Some rows in their order. */
export interface RowChunk {
  /** A row that cannot be read was reported as a problem, and is undefined. */
  readonly rows: readonly (RawRow | undefined)[];
  /** The lines of the file in which the rows begin. Undefined for row objects. */
  readonly lines?: readonly number[];
}

/** Reads row objects. @throws {InputError} for objects that can be read only once */
export async function* readObjects(input: Iterable<RawRow> | AsyncIterable<RawRow>): AsyncIterable<RowChunk> {
  if (!isRepeatable(input)) {
    const message = 'give a path, or rows that can be read more than once, such as an array';
    throw new InputError([{ message }]);
  }
  for await (const row of input) yield { rows: [row] };
}

/** False for a generator, which is its own iterator and can be read only once. */
function isRepeatable(input: Iterable<RawRow> | AsyncIterable<RawRow>): boolean {
  if (typeof input !== 'object' || input === null) return false;
  const sync = (input as Partial<Iterable<RawRow>>)[Symbol.iterator];
  const iterator = sync ? sync.call(input) : (input as AsyncIterable<RawRow>)[Symbol.asyncIterator]?.();
  return iterator !== undefined && (iterator as unknown) !== input;
}
