import type { DateUnit } from '../../client/options/settings';
import type { Element } from '../../soap/element';

/** True for an element that holds a date: unixdate, startUnixdate, date. */
export function isDate(element: Element): boolean {
  return element.kind === 'integer' && element.type === 'long' && /date$/i.test(element.name);
}

const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

const LOCAL = /^\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?$/;

/** The years of a written date. A message of another year is a mistake, or one of another calendar. */
const [FIRST_YEAR, LAST_YEAR] = [1970, 2100];

/** Gives the mistake of a written date whose year is not one of these; undefined for any other text. */
export function yearMistake(text: string): string | undefined {
  if (!LOCAL.test(text) && !ISO_8601.test(text)) return undefined;
  const year = Number(text.slice(0, 4));
  // Dates of the Persian calendar are about 621 years earlier.
  if (year < FIRST_YEAR) return `is before ${FIRST_YEAR}: write the Gregorian date, or a whole number`;
  return year > LAST_YEAR ? `is after ${LAST_YEAR}: write an earlier date, or a whole number` : undefined;
}

/**
 * Reads an ISO 8601 date, which means midnight UTC, a date and time with `Z` or an offset, or `2026-12-01 09:00` in
 * local time.
 *
 * @returns the number in the unit; undefined for any other text, for a date that does not exist or whose year is not
 * between 1970 and 2100, and for a time that is not a whole number of the unit
 */
export function parseDate(text: string, unit: DateUnit): bigint | undefined {
  if (yearMistake(text) !== undefined) return undefined;
  const isLocal = LOCAL.test(text);
  const [, day = '', zone = 'Z'] = ISO_8601.exec(text) ?? [];
  const time = isLocal || day !== '' ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  // Date.parse reads February 30 as March 2, and moves a local time that a change of the clock leaves out.
  const offset = isLocal ? new Date(time).getTimezoneOffset() * -60_000 : offsetOf(zone);
  const real = new Date(time + offset).toISOString().replace('T', ' ');
  if (!real.startsWith(isLocal ? text : day)) return undefined;
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
