// @ts-check
import { html } from './htm.mjs';
import { state } from './state.mjs';

// Times of the sandbox, which are seconds since 1970.

/** Making a formatter takes longer than using it, and the page is drawn each second. */
const formats = {
  exact: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }),
  day: new Intl.DateTimeFormat(undefined, { dateStyle: 'full' }),
  ofYear: new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }),
  ofOtherYear: new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' }),
  clock: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
};

const DAY_S = 86_400;

/** Null for a number that is no time. @param {number | string} seconds */
function timeOf(seconds) {
  const time = new Date(Number(seconds) * 1000);
  return Math.abs(time.getFullYear()) < 10_000 ? time : null;
}

/** @param {number | string} seconds */
export function formatTime(seconds) {
  const time = timeOf(seconds);
  return time === null ? String(seconds) : formats.exact.format(time);
}

/**
 * The day of a time as a word; empty for the future and for a number that is no time.
 *
 * @param {number | string} seconds
 */
export function dayOf(seconds) {
  const time = timeOf(seconds);
  // The clocks of the page and the sandbox may differ by some seconds.
  if (time === null || time.getTime() > state.now + 60_000) return '';
  if (time.toDateString() === new Date(state.now).toDateString()) return 'Today';
  if (time.toDateString() === new Date(state.now - DAY_S * 1000).toDateString()) return 'Yesterday';
  return formats.day.format(time);
}

/** The date of a time, as the search takes it. @param {number | string} seconds @param {number} [later] in days */
export function dateOf(seconds, later = 0) {
  const time = timeOf(seconds) ?? new Date(0);
  time.setDate(time.getDate() + later);
  const [year, month, day] = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-');
}

/** @param {number} seconds the distance from now, of less than a day */
function formatDistance(seconds) {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

/**
 * A time as its distance from now when it is less than a day ago, and else as a date. A narrow list leaves out the time
 * of day.
 *
 * @param {{ date: number | string, isLong?: boolean }} properties
 */
export function Time({ date, isLong = false }) {
  const [time, exact] = [timeOf(date), formatTime(date)];
  const ago = Math.round(state.now / 1000 - Number(date));
  return html`<time title=${exact}>${time === null || (isLong && !isRecent(ago)) ? exact : textOf(time, ago, isLong)}</time>`;
}

/** @param {number} ago in seconds */
function isRecent(ago) {
  return ago > -60 && ago < DAY_S;
}

/** @param {Date} time @param {number} ago in seconds @param {boolean} isLong */
function textOf(time, ago, isLong) {
  if (isRecent(ago)) return ago < 2 ? 'now' : `${formatDistance(ago)}${isLong ? ' ago' : ''}`;
  if (time.getFullYear() !== new Date(state.now).getFullYear()) return formats.ofOtherYear.format(time);
  return html`${formats.ofYear.format(time)}<span class="clock">, ${formats.clock.format(time)}</span>`;
}
