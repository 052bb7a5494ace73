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
  const isToday = date.toDateString() === new Date().toDateString();
  const textContent = isToday ? date.toLocaleTimeString() : formatTime(seconds);
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

/** @param {SentJson} message */
export function statusPill({ status, statustext }) {
  return make('span', { className: 'pill' }, ownText(statustext ? `${status} ${statustext}` : String(status)));
}

/** @param {RequestJson} request */
export function outcomePill({ summary }) {
  if (summary === undefined) return make('span', { className: 'pill', textContent: 'under way' });
  const isGood = summary === 'status 200' || /^HTTP 2/.test(summary);
  return make('span', { className: `pill ${isGood ? 'good' : 'bad'}`, textContent: summary });
}

/** @param {string} text */
export function copyButton(text) {
  const button = make('button', { type: 'button', className: 'small', textContent: 'Copy' });
  onClick(button, async () => {
    await copy(text);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
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

/** @param {string} text */
export function codeBlock(text) {
  return make('div', { className: 'code' }, make('pre', { textContent: text, tabIndex: 0 }), copyButton(text));
}
