import { ConfigurationError, nameErrors } from '../../errors';

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
  override readonly problems: readonly (Problem & { readonly option: 'input' })[];
  /** All of them. */
  readonly count: number;

  constructor(problems: readonly Problem[], count: number) {
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

export function formatProblem({ row, message }: Problem): string {
  return row === undefined ? message : `row ${row}: ${message}`;
}
