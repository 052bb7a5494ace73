import { ConfigurationError, MessagingError } from '../errors';

/** Something that is wrong with the input. */
export interface Problem {
  /** Counted from 1; the header of a file is not a row. Undefined when it is about the header or the file. */
  readonly row: number | undefined;
  readonly message: string;
}

/** How many problems an InputError keeps; it counts all of them. */
export const MAX_PROBLEMS = 1000;

/** Rows, columns or fields are wrong. Nothing was sent. */
export class InputError extends ConfigurationError {
  /** The first 1,000. */
  readonly problems: readonly Problem[];
  /** All of them. */
  readonly count: number;

  constructor(problems: readonly Problem[], count: number) {
    const [first] = problems;
    const more = count > 1 ? ` (and ${count - 1} more)` : '';
    super(`${first === undefined ? 'the input is wrong' : formatProblem(first)}${more}`);
    this.problems = problems;
    this.count = count;
  }
}

export function formatProblem({ row, message }: Problem): string {
  return row === undefined ? message : `row ${row}: ${message}`;
}

/** The journal cannot be used. Nothing was sent. */
export class JournalError extends ConfigurationError {
  /**
   * - `locked`: another process has it open
   * - `changed`: it belongs to another input, template or option
   * - `damaged`: it is not a journal, or was changed by something else
   */
  readonly code: 'locked' | 'changed' | 'damaged';

  constructor(code: JournalError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The journal could not be written any more: the disk is full, or another process wrote to it. Nothing more is sent. What
 * the journal does not say about the requests that were under way is unknown.
 */
export class JournalWriteError extends MessagingError {
  constructor(message: string, cause?: unknown) {
    super({ operation: undefined, mask: unmasked, maskCut: unmasked }, 'unknown', message);
    if (cause !== undefined) this.cause = cause;
  }
}

/** The journal holds no API key, so neither do its errors. */
function unmasked(text: string): string {
  return text;
}
