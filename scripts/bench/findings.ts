import type { ContenderId } from './contenders';

/** One measurement of one contender. */
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

/** What was measured, for each contender. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly unit: 'µs' | 'ms' | 'MiB';
  readonly cells: Partial<Record<ContenderId, Cell>>;
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

/** What one part of the bench found. */
export interface Findings {
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

/** Whether the ratio of two medians is within the limit. */
export function ratioCheck(
  what: string,
  value: number | undefined,
  against: { readonly name: string; readonly value: number | undefined; readonly note?: string | undefined },
  limit: number,
): Check {
  const bound = { what, unit: '×', limit, against: against.name };
  if (value === undefined || against.value === undefined) {
    return { ...bound, value: undefined, holds: undefined, note: against.note ?? 'not measured' };
  }
  return { ...bound, value: value / against.value, holds: value / against.value <= limit };
}
