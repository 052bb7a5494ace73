import type { CandidateId } from './candidates';

/** One measurement of one candidate. */
export interface Cell {
  /** The median, in the row's unit; undefined when there is none, and `note` says why. */
  readonly value: number | undefined;
  /** Each round's value. */
  readonly rounds: readonly number[];
  /** What it read or sent wrong, which disqualifies it. */
  readonly wrong?: string | undefined;
  /** Why there is no value. */
  readonly note?: string | undefined;
}

/** What was measured, for each candidate. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly unit: 'µs' | 'ms' | 'MiB';
  readonly cells: Partial<Record<CandidateId, Cell>>;
}

/** Whether something holds that the project promises. */
export interface Check {
  /** "small call, 1 at a time, SOAP 1.1" */
  readonly what: string;
  readonly value: number | undefined;
  readonly unit: string;
  /** The bound: at most, or at least for a rate. */
  readonly limit: number;
  readonly atLeast?: boolean;
  /** What the value is in proportion to. */
  readonly against?: string;
  /** Undefined when it could not be measured; `note` says why. */
  readonly holds: boolean | undefined;
  readonly note?: string | undefined;
}

export interface Repeated {
  readonly what: string;
  readonly rounds: readonly number[];
}

/** What one part of the bench found. */
export interface Results {
  /** Repeated measurements of what this package has no part in, or of one and the same thing: they show how noisy the run was. */
  readonly repeated?: readonly Repeated[];
  readonly rows?: readonly Row[];
  readonly checks?: readonly Check[];
  /** Anything else worth keeping, for the JSON. */
  readonly raw?: Readonly<Record<string, unknown>>;
}

export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle];
  return sorted.length === 0 ? undefined : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/**
 * Whether one measurement is within the limit in proportion to another. Both were taken in the same rounds, so the median of the
 * rounds' ratios is judged: what slows a round down, slows both.
 *
 * @param limit NaN for a value that is only shown
 */
export function ratioCheck(
  what: string,
  rounds: readonly number[],
  against: { readonly name: string; readonly rounds: readonly number[]; readonly note?: string | undefined },
  limit: number,
): Check {
  const bound = { what, unit: '×', limit, against: against.name };
  const ratios = rounds.flatMap((value, round) => {
    const other = against.rounds[round];
    return other === undefined ? [] : [value / other];
  });
  const value = median(ratios);
  if (value === undefined) return { ...bound, value, holds: undefined, note: against.note ?? 'not measured' };
  if (Number.isNaN(limit)) return { ...bound, value, holds: undefined };
  return { ...bound, value, holds: value <= limit };
}

/** How far apart repeated measurements of the same thing are, in proportion to their median; undefined for fewer than two. */
export function spread(rounds: readonly number[]): number | undefined {
  return rounds.length < 2 ? undefined : (Math.max(...rounds) - Math.min(...rounds)) / (median(rounds) as number);
}
