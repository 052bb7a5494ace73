import type { WireSide } from '../model/model';

export type Verdict = 'breaking' | 'compatible';

/** One difference between two contracts. */
export interface Difference {
  /** The construct: "request of SendAdvance, element encoding". */
  readonly where: string;
  readonly before: string;
  readonly after: string;
  /** Breaking when the service may refuse a request that existing calls send. */
  readonly requests: Verdict;
  /** Breaking when the service may send a response that the client refuses. */
  readonly responses: Verdict;
  /** Breaking when existing code does not compile with a client that is generated from the other contract. */
  readonly callers: Verdict;
  readonly why: string;
  /** The affected operations. */
  readonly operations: readonly string[];
  /** The element of these operations' requests, responses or records. Undefined for any other difference. */
  readonly field: string | undefined;
}

/** A side that a difference can break. */
export type Side = WireSide | 'callers';

export interface NewDifference extends Pick<Difference, 'where' | 'before' | 'after' | 'why' | 'operations'> {
  readonly breaks: readonly Side[];
  readonly field?: string;
}

/** The number of differences that are kept. A WSDL from the network may have any number; the others are counted. */
const MAX_DIFFERENCES = 5000;

/** Collects differences. The same difference of several operations, such as that of a record, is one difference. */
export class DifferenceList {
  readonly #byText = new Map<string, NewDifference>();
  /** The sides that the counted differences break. */
  readonly #otherBreaks = new Set<Side>();
  #others = 0;

  add(difference: NewDifference): void {
    const { field: _, operations, ...texts } = difference;
    const key = JSON.stringify(texts);
    const known = this.#byText.get(key);
    if (known || this.#byText.size < MAX_DIFFERENCES) {
      const all = new Set([...(known?.operations ?? []), ...operations]);
      this.#byText.set(key, { ...difference, operations: [...all] });
    } else {
      this.#others++;
      for (const side of difference.breaks) this.#otherBreaks.add(side);
    }
  }

  /** Returns the breaking differences first, and otherwise in the order of the contract. */
  sorted(): Difference[] {
    const all = [...this.#byText.values()];
    if (this.#others > 0) {
      all.push({
        where: 'other places',
        before: 'our contract',
        after: `${this.#others} more differences`,
        breaks: [...this.#otherBreaks],
        why: `only ${MAX_DIFFERENCES} differences are listed`,
        operations: [],
      });
    }
    const rank = (difference: Difference): number =>
      isBreaking(difference) ? 0 : difference.callers === 'breaking' ? 1 : 2;
    return all.map(withVerdicts).sort((a, b) => rank(a) - rank(b));
  }
}

/** True when a difference breaks requests or responses. */
export function isBreaking({ requests, responses }: Difference): boolean {
  return requests === 'breaking' || responses === 'breaking';
}

function withVerdicts({ where, before, after, why, operations, breaks, field }: NewDifference): Difference {
  const verdict = (side: Side): Verdict => (breaks.includes(side) ? 'breaking' : 'compatible');
  return {
    where,
    before,
    after,
    why,
    operations,
    requests: verdict('requests'),
    responses: verdict('responses'),
    callers: verdict('callers'),
    field,
  };
}
