import type { Place } from './model';

/**
 * `broken`: the file is not a complete WSDL. `import`: it refers to another file, which is not read. `unsupported`: it says something about the wire that the client does not follow.
 * `unwanted`: it changes nothing on the wire, but the project's own WSDL must not have it.
 */
export type ProblemKind = 'broken' | 'import' | 'unsupported' | 'unwanted';

export interface ContractProblem {
  readonly kind: ProblemKind;
  readonly file: string;
  readonly line: number;
  /** The construct by its own name, what is wrong with it, and what to do. */
  readonly text: string;
}

/** All that is wrong with a WSDL, one line each: "file:line: what". */
export class ContractError extends Error {
  override name = 'ContractError';
  readonly problems: readonly ContractProblem[];

  constructor(problems: readonly ContractProblem[]) {
    super(problems.map(({ file, line, text }) => `${file}:${line}: ${text}`).join('\n'));
    this.problems = problems;
  }
}

/** Collects what is wrong while a WSDL is read, so that one run names everything. */
export class ContractProblems {
  readonly #byPlace = new Map<string, ContractProblem>();

  constructor(problems: readonly ContractProblem[] = []) {
    for (const problem of problems) this.add(problem.kind, problem, problem.text);
  }

  /** A type is read once for each element that has it, so the same problem may come again. */
  add(kind: ProblemKind, { file, line }: Place, text: string): void {
    const key = `${file}:${line}:${text}`;
    if (!this.#byPlace.has(key)) this.#byPlace.set(key, { kind, file, line, text });
  }

  /** By line. */
  sorted(): ContractProblem[] {
    return [...this.#byPlace.values()].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  }
}
