import type { DateUnit } from '../../options/settings';
import type { Element } from '../../soap/element';

/** True for an element that holds a date: unixdate, startUnixdate, date. */
export function isDate(element: Element): boolean {
  return element.kind === 'integer' && element.type === 'long' && /date$/i.test(element.name);
}

const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Reads an ISO 8601 date, which means midnight UTC, or a date and time with `Z` or an offset.
 *
 * @returns the number in the unit; undefined for any other text, for a date that does not exist, and for a time that is
 * not a whole number of the unit
 */
export function parseDate(text: string, unit: DateUnit): bigint | undefined {
  const [, day = '', zone = 'Z'] = ISO_8601.exec(text) ?? [];
  const time = day === '' ? Number.NaN : Date.parse(text);
  if (Number.isNaN(time)) return undefined;
  // Date.parse reads February 30 as March 2.
  if (new Date(time + offsetOf(zone)).toISOString().slice(0, 10) !== day) return undefined;
  if (unit === 'milliseconds') return BigInt(time);
  return time % 1000 === 0 ? BigInt(time / 1000) : undefined;
}

function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -offset : offset;
}

/** The largest number of milliseconds that Date takes. */
const MAX_TIME = 8_640_000_000_000_000n;

/** Formats a date as ISO 8601 in UTC; a number outside the range of dates stays a number. */
export function formatDate(value: bigint, unit: DateUnit): string {
  const time = unit === 'seconds' ? value * 1000n : value;
  if (time > MAX_TIME || time < -MAX_TIME) return String(value);
  return new Date(Number(time)).toISOString().replace(/\.000Z$/, 'Z');
}
