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

/** More than these are counted, and not kept: a WSDL from the network may differ in any number of elements. */
const MAX_DIFFERENCES = 5000;

/** Collects differences; the same one of several operations, such as that of a record, is one. */
export class DifferenceList {
  readonly #byText = new Map<string, Difference>();
  /** What the differences that are not kept break. */
  readonly #otherBreaks = new Set<Side>();
  #others = 0;

  add(difference: NewDifference): void {
    const { breaks = [], field: _, operations, ...texts } = difference;
    const key = JSON.stringify([texts, breaks]);
    const known = this.#byText.get(key);
    if (known || this.#byText.size < MAX_DIFFERENCES) {
      const all = [...new Set([...(known?.operations ?? []), ...operations])];
      this.#byText.set(key, withVerdicts({ ...difference, operations: all }));
      return;
    }
    this.#others++;
    for (const side of breaks) this.#otherBreaks.add(side);
  }

  /** What breaks comes first; else in the order of the contract. */
  sorted(): Difference[] {
    const rank = ({ requests, answers, callers }: Difference): number =>
      requests === 'breaking' || answers === 'breaking' ? 0 : callers === 'breaking' ? 1 : 2;
    return [...this.#byText.values(), ...this.#rest()].sort((a, b) => rank(a) - rank(b));
  }

  #rest(): Difference[] {
    if (this.#others === 0) return [];
    return [
      withVerdicts({
        where: 'other places',
        before: 'our contract',
        after: `${this.#others} more differences`,
        breaks: [...this.#otherBreaks],
        why: `only ${MAX_DIFFERENCES} are listed`,
        operations: [],
      }),
    ];
  }
}

function withVerdicts({ breaks = [], field, ...difference }: NewDifference): Difference {
  const verdict = (side: Side): Verdict => (breaks.includes(side) ? 'breaking' : 'compatible');
  return {
    ...difference,
    requests: verdict('requests'),
    answers: verdict('answers'),
    callers: verdict('callers'),
    field,
  };
}
