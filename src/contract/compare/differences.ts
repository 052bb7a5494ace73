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

/** The place of a difference. */
export interface DifferencePlace extends Pick<Difference, 'where' | 'operations'> {
  readonly field?: string;
}

/** The number of differences that are kept. A WSDL from the network may have any number; the others are counted. */
const MAX_DIFFERENCES = 5000;

/** Collects differences. The same difference of several operations, such as that of a record, is one difference. */
export class DifferenceList {
  readonly #byText = new Map<string, Difference>();
  /** The sides that the counted differences break. */
  readonly #otherBreaks = new Set<Side>();
  #others = 0;

  add(place: DifferencePlace, before: string, after: string, breaks: readonly Side[], why: string): void {
    const key = JSON.stringify([place.where, before, after, breaks, why]);
    const known = this.#byText.get(key);
    if (known || this.#byText.size < MAX_DIFFERENCES) {
      const operations = [...new Set([...(known?.operations ?? []), ...place.operations])];
      this.#byText.set(key, differenceOf({ ...place, operations }, before, after, breaks, why));
    } else {
      this.#others++;
      for (const side of breaks) this.#otherBreaks.add(side);
    }
  }

  /** Returns the breaking differences first, and otherwise in the order of the contract. */
  sorted(): Difference[] {
    const all = [...this.#byText.values()];
    if (this.#others > 0) {
      const place = { where: 'other places', operations: [] };
      const why = `only ${MAX_DIFFERENCES} differences are listed`;
      all.push(differenceOf(place, 'our contract', `${this.#others} more differences`, [...this.#otherBreaks], why));
    }
    const rank = (difference: Difference): number =>
      isBreaking(difference) ? 0 : difference.callers === 'breaking' ? 1 : 2;
    return all.sort((a, b) => rank(a) - rank(b));
  }
}

/** True when a difference breaks requests or responses. */
export function isBreaking({ requests, responses }: Difference): boolean {
  return requests === 'breaking' || responses === 'breaking';
}

function differenceOf(
  { where, operations, field }: DifferencePlace,
  before: string,
  after: string,
  breaks: readonly Side[],
  why: string,
): Difference {
  const verdict = (side: Side): Verdict => (breaks.includes(side) ? 'breaking' : 'compatible');
  const [requests, responses, callers] = [verdict('requests'), verdict('responses'), verdict('callers')];
  return { where, before, after, why, operations, requests, responses, callers, field };
}
