import type { Problem } from './input-error';

/** A row as it was given: values by column. */
export type RawRow = Readonly<Record<string, unknown>>;

/** A path of a CSV file in UTF-8 with a header, or row objects that can be gone through more than once. */
export type BulkInput = string | Iterable<RawRow> | AsyncIterable<RawRow>;

/** What is reported while rows are read. */
export interface SourceEvents {
  /** The columns of all rows of a file, before its first row. */
  onColumns(columns: readonly string[]): void;
  onProblem(problem: Problem): void;
}

/** Some rows in their order. One that cannot be read was reported as a problem, and is undefined. */
export type RowChunk = readonly (RawRow | undefined)[];
