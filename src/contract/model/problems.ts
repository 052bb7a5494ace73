import type { Place } from './model';

/**
 * The kind of a problem:
 * - `broken`: the file is not a complete WSDL, so it cannot be compared either.
 * - `import`: the file refers to another file, which is not read.
 * - `refused`: the generator refuses this part, and a comparison reads it.
 */
export type ProblemKind = 'broken' | 'import' | 'refused';

export interface ContractProblem {
  readonly kind: ProblemKind;
  readonly file: string;
  readonly line: number;
  /** The construct, the fault in it, and the correction. */
  readonly text: string;
}

/** The error about a WSDL. Its message has a line for each problem: "file:line: text". */
export class ContractError extends Error {
  override name = 'ContractError';
  readonly problems: readonly ContractProblem[];

  constructor(problems: readonly ContractProblem[]) {
    super(problems.map(({ file, line, text }) => `${file}:${line}: ${text}`).join('\n'));
    this.problems = problems;
  }
}

/** Returns the error about a file that is no complete WSDL. */
export function brokenFile({ file, line }: Place, text: string): ContractError {
  return new ContractError([{ kind: 'broken', file, line, text }]);
}

/** Collects the problems of a WSDL while it is read, so that one run reports all of them. */
export class ContractProblems {
  readonly #byPlace = new Map<string, ContractProblem>();

  constructor(problems: readonly ContractProblem[] = []) {
    for (const problem of problems) this.add(problem.kind, problem, problem.text);
  }

  /**
   * Adds a problem once. The same problem comes again when several elements have the same type.
   *
   * @param subject problems of one place and one subject are the same problem; as a rule the text
   */
  add(kind: ProblemKind, { file, line }: Place, text: string, subject = text): void {
    const key = `${file}:${line}:${subject}`;
    const known = this.#byPlace.get(key);
    if (!known || (kind === 'broken' && known.kind !== kind)) this.#byPlace.set(key, { kind, file, line, text });
  }

  /** Returns the problems by file and line. */
  sorted(): ContractProblem[] {
    return [...this.#byPlace.values()].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  }
}
