import { ConfigurationError, nameErrors } from '../../errors';

/** One thing that is wrong with the rows, the columns or the fields. */
export interface InputProblem {
  /** Counted from 1; the header of a file is not a row. Undefined for a problem of the header or of the file. */
  readonly row?: number | undefined;
  /** The line of the file in which the row begins, counted from 1. */
  readonly line?: number | undefined;
  readonly message: string;
  /** Present when `prepareList` makes a list without this problem: the options that it needs for it. */
  readonly mendedBy?: { readonly encoding?: string } | undefined;
}

/** The number of problems that an InputError keeps. It counts all of them. */
export const MAX_PROBLEMS = 1000;

/**
 * Rows, columns or fields are wrong. Nothing was sent.
 *
 * @example
 * if (error instanceof InputError) for (const { row, message } of error.problems) console.error(row, message);
 */
export class InputError extends ConfigurationError {
  /** The first 1,000 problems. */
  override readonly problems: readonly (InputProblem & { readonly option: 'input' })[];
  /** The number of all problems. */
  readonly count: number;

  constructor(problems: readonly InputProblem[], count = problems.length) {
    const [first] = problems;
    const more = count > 1 ? ` (and ${count - 1} more)` : '';
    super({ message: `${first === undefined ? 'the input is wrong' : formatProblem(first)}${more}` });
    this.problems = problems.map((problem) => ({ option: 'input', ...problem }));
    this.count = count;
  }

  static {
    nameErrors(InputError, 'InputError');
  }
}

/** A problem in one line: `row 2: receptor: it is empty`. The line is named where values of several lines move it. */
export function formatProblem({ row, line, message }: InputProblem): string {
  if (row === undefined) return line === undefined ? message : `line ${line}: ${message}`;
  return line === undefined || line === row + 1 ? `row ${row}: ${message}` : `row ${row} (line ${line}): ${message}`;
}
