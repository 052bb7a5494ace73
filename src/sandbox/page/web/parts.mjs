// @ts-check
/** @import { Fields, RequestJson, SentJson } from './records' */
import { html, useState } from './htm.mjs';
import { showProblem, state } from './state.mjs';
import { toneOf } from './tones.mjs';

// The parts that several places of the page show. Preact turns a text into text, never into markup.

/**
 * Text that a person wrote, in the direction of its own script.
 *
 * @param {{ text: string | null | undefined }} properties
 */
export function UserText({ text }) {
  return html`<bdi dir="auto">${text === null || text === undefined ? 'none' : marked(text)}</bdi>`;
}

/** Marks what the search has found in a text. @param {string} text */
export function marked(text) {
  const { search } = state.view;
  const at = search === '' ? -1 : text.toLowerCase().indexOf(search.toLowerCase());
  if (at < 0) return text;
  const end = at + search.length;
  return [text.slice(0, at), html`<mark>${text.slice(at, end)}</mark>`, text.slice(end)];
}

/** The sandbox's own text for a status. @param {number | string} status */
export function textOfStatus(status) {
  const [, text] = state.service.statuses.find(([known]) => String(known) === String(status)) ?? [];
  return text ?? `status ${status}`;
}

/** The statuses of some messages with their numbers, bad ones first. @param {Record<string, number>} statuses */
export function ranked(statuses) {
  const rank = (/** @type {string} */ status) => ['bad', 'none', 'plan', 'way', 'good'].indexOf(toneOf(status));
  return Object.entries(statuses).sort(([one], [other]) => rank(one) - rank(other));
}

/**
 * A state: a dot and a word. Only a failure has a ground.
 *
 * @param {{ tone: string, text: string, isFaked?: boolean }} properties
 */
export function Pill({ tone, text, isFaked = false }) {
  return html`<span class=${`pill ${tone}${isFaked ? ' faked' : ''}`}><${UserText} text=${text} /></span>`;
}

/** The state of a sent message. @param {{ message: SentJson }} properties */
export function StatusPill({ message: { status, statustext } }) {
  return html`<${Pill} tone=${toneOf(status)} text=${statustext || `status ${status}`} />`;
}

/**
 * The items of a field: those of a list, or the one value.
 *
 * @param {Fields[string] | undefined} value
 */
export function itemsOf(value) {
  return typeof value === 'object' && value !== null ? value : { count: 1, first: [value] };
}

/** The tone of a request. @param {RequestJson} request */
export function toneOfRequest({ result }) {
  return result === undefined ? 'none' : result === 'done' ? 'good' : 'bad';
}

/** A time of the sandbox; null for a number that is no time. @param {number | string} seconds */
function timeOf(seconds) {
  const time = new Date(Number(seconds) * 1000);
  return Math.abs(time.getFullYear()) < 10_000 ? time : null;
}

/** @param {number | string} seconds */
export function formatTime(seconds) {
  return timeOf(seconds)?.toLocaleString() ?? String(seconds);
}

/** The day of a time; empty for the future and for a number that is no time. @param {number | string} seconds */
export function dayOf(seconds) {
  const time = timeOf(seconds);
  // The clocks of the page and the sandbox may differ by some seconds.
  if (time === null || time.getTime() > state.now + 60_000) return '';
  if (time.toDateString() === new Date(state.now).toDateString()) return 'Today';
  if (time.toDateString() === new Date(state.now - 86_400_000).toDateString()) return 'Yesterday';
  return time.toLocaleDateString(undefined, { dateStyle: 'full' });
}

/** @param {number} seconds the distance from now */
function formatDistance(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/**
 * A time as its distance from now, or the time of day under the heading of an earlier day.
 *
 * @param {{ date: number | string, isLong?: boolean }} properties
 */
export function Time({ date, isLong = false }) {
  const ago = Math.round(state.now / 1000 - Number(date));
  const [day, time, exact] = [dayOf(date), timeOf(date), formatTime(date)];
  let text = exact;
  if (day === 'Today') text = ago < 2 ? 'now' : `${formatDistance(ago)}${isLong ? ' ago' : ''}`;
  else if (time && !day) text = `in ${formatDistance(-ago)}`;
  else if (time && !isLong) text = time.toLocaleTimeString(undefined, { timeStyle: 'short' });
  return html`<time title=${exact}>${text}</time>`;
}

/** @param {number} number @param {string} noun */
export function count(number, noun) {
  return `${number.toLocaleString()} ${noun}${number === 1 ? '' : 's'}`;
}

/** A command as a word. @param {{ onClick: () => unknown, children?: unknown }} properties */
export function Word({ onClick, children }) {
  return html`<button type="button" class="word" onClick=${onClick}>${children}</button>`;
}

/** @param {{ textOf: () => string, label?: string }} properties */
export function Copy({ textOf, label = 'Copy' }) {
  const [isCopied, setCopied] = useState(false);
  async function onClick() {
    await copy(textOf());
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  }
  return html`<${Word} onClick=${() => onClick().catch(showProblem)}>${isCopied ? 'Copied' : label}<//>`;
}

/** Copies text. A page that came over http from another machine has no navigator.clipboard. @param {string} text */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = Object.assign(document.createElement('textarea'), { value: text });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** Code with a button that copies it. @param {{ title: string, text: string, children?: unknown }} properties */
export function Code({ title, text, children = text }) {
  return html`<figure>
    <figcaption><h3>${title}</h3><${Copy} textOf=${() => text} /></figcaption>
    <pre tabindex="0">${children}</pre>
  </figure>`;
}
