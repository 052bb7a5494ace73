// @ts-check
/** @import { RequestJson, SentJson } from './records' */
import { onClick } from './actions.mjs';
import { make } from './dom.mjs';

// The parts that several places of the page show.

/**
 * Writes a time of the sandbox, which is a number of seconds. A number that is no time stays a number.
 *
 * @param {number | string} seconds
 */
export function formatTime(seconds) {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) || date.getFullYear() > 9999 ? String(seconds) : date.toLocaleString();
}

/**
 * A time for a list, where a message of today needs no date.
 *
 * @param {number | string} seconds
 */
export function shortTime(seconds) {
  const date = new Date(Number(seconds) * 1000);
  const now = new Date();
  const isToday = date.toDateString() === now.toDateString();
  const isThisYear = date.getFullYear() === now.getFullYear();
  const textContent = isToday
    ? date.toLocaleTimeString()
    : isThisYear
      ? date.toLocaleString(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })
      : formatTime(seconds);
  return make('time', { textContent, title: formatTime(seconds) });
}

/**
 * Text that a person wrote, in the direction of its own script.
 *
 * @param {string} text
 */
export function ownText(text) {
  return make('bdi', { dir: 'auto', textContent: text });
}

/** The statuses that have a colour of their own. @type {Record<number, string>} */
const STATES = { 1: 'queued', 2: 'scheduled', 4: 'sent', 6: 'failed', 10: 'delivered', 11: 'failed', 14: 'failed' };

/** @param {SentJson} message */
export function statusPill({ status, statustext }) {
  const className = `pill ${STATES[status] ?? 'other'}`;
  return make('span', { className }, ownText(statustext ? `${status} ${statustext}` : String(status)));
}

/** @param {RequestJson} request */
export function outcomePill({ summary }) {
  if (summary === undefined) return make('span', { className: 'pill queued', textContent: 'under way' });
  const isGood = summary === 'status 200' || /^HTTP 2/.test(summary);
  return make('span', { className: `pill ${isGood ? 'delivered' : 'failed'}`, textContent: summary });
}

/**
 * @param {() => string} textOf gives the text when it is copied
 * @param {string} [label]
 * @param {string} [className]
 */
export function copyButton(textOf, label = 'Copy', className = 'small') {
  const button = make('button', { type: 'button', className, textContent: label });
  onClick(button, async () => {
    await copy(textOf());
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

/**
 * Copies text to the clipboard. A page that came over http from another machine has no navigator.clipboard.
 *
 * @param {string} text
 */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = make('textarea', { value: text });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** Longer texts are cut on the page, in characters. */
const MAX_SHOWN = 100_000;

/**
 * Shows code with a button that copies all of it.
 *
 * @param {string} text
 * @param {string} title
 */
export function codeBlock(text, title) {
  const rest = text.length - MAX_SHOWN;
  const textContent =
    rest > 0 ? `${text.slice(0, MAX_SHOWN)}…\n(${rest.toLocaleString()} more characters. “Copy” copies all.)` : text;
  const bar = make(
    'div',
    { className: 'bar' },
    make('h3', { textContent: title }),
    copyButton(() => text),
  );
  return make('div', { className: 'code' }, bar, make('pre', { textContent, tabIndex: 0 }));
}
