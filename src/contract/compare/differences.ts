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

/** The number of differences that are listed. A WSDL from the network may have any number. */
const MAX_DIFFERENCES = 5000;
const OTHERS: DifferencePlace = { where: 'other places', operations: [] };

/** Collects differences. The same difference of several operations, such as that of a record, is one difference. */
export class DifferenceList {
  readonly #byText = new Map<string, Difference>();

  add(place: DifferencePlace, before: string, after: string, breaks: readonly Side[], why: string): void {
    const { where, field } = place;
    const key = JSON.stringify([where, before, after, breaks, why]);
    const known = this.#byText.get(key);
    if (!known && place !== OTHERS && this.#byText.size >= MAX_DIFFERENCES) {
      const others = `only ${MAX_DIFFERENCES} differences are listed`;
      return this.add(OTHERS, 'our contract', 'more differences', breaks, others);
    }
    const operations = [...new Set([...(known?.operations ?? []), ...place.operations])];
    const verdict = (side: Side): Verdict => (breaks.includes(side) ? 'breaking' : 'compatible');
    const [requests, responses, callers] = [verdict('requests'), verdict('responses'), verdict('callers')];
    this.#byText.set(key, { where, before, after, why, operations, requests, responses, callers, field });
  }

  /** Returns the breaking differences first, and otherwise in the order of the contract. */
  sorted(): Difference[] {
    const rank = (difference: Difference): number =>
      isBreaking(difference) ? 0 : difference.callers === 'breaking' ? 1 : 2;
    return [...this.#byText.values()].sort((a, b) => rank(a) - rank(b));
  }
}

/** True when a difference breaks requests or responses. */
export function isBreaking({ requests, responses }: Difference): boolean {
  return requests === 'breaking' || responses === 'breaking';
}
