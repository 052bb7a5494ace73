export type Verdict = 'breaking' | 'compatible';

/** One thing that another contract says otherwise. */
export interface Difference {
  /** The construct: "request of SendAdvance, element encoding". */
  readonly where: string;
  readonly before: string;
  readonly after: string;
  /** Whether the service still takes what a client of today sends. */
  readonly requests: Verdict;
  /** Whether a client of today still reads what the service answers. */
  readonly answers: Verdict;
  /** Whether code that compiles today still does once the client is built from the other contract. */
  readonly callers: Verdict;
  readonly why: string;
  /** The operations that it touches. */
  readonly operations: readonly string[];
  /** The element of these operations' requests, answers or records, when it is about one. */
  readonly field: string | undefined;
}

type Side = 'requests' | 'answers' | 'callers';

export interface NewDifference extends Pick<Difference, 'where' | 'before' | 'after' | 'why' | 'operations'> {
  readonly breaks?: readonly Side[];
  readonly field?: string;
}

/** Collects differences; the same one of several operations, such as that of a record, is one. */
export class DifferenceList {
  readonly #byText = new Map<string, Difference>();

  add({ breaks = [], field, operations, ...texts }: NewDifference): void {
    const verdict = (side: Side): Verdict => (breaks.includes(side) ? 'breaking' : 'compatible');
    const key = JSON.stringify([texts, breaks]);
    this.#byText.set(key, {
      ...texts,
      requests: verdict('requests'),
      answers: verdict('answers'),
      callers: verdict('callers'),
      operations: [...new Set([...(this.#byText.get(key)?.operations ?? []), ...operations])],
      field,
    });
  }

  /** What breaks comes first; else in the order of the contract. */
  sorted(): Difference[] {
    const rank = ({ requests, answers, callers }: Difference): number =>
      requests === 'breaking' || answers === 'breaking' ? 0 : callers === 'breaking' ? 1 : 2;
    return [...this.#byText.values()].sort((a, b) => rank(a) - rank(b));
  }
}
