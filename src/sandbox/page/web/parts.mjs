// @ts-check
/** @import { Fields, RequestJson, SentJson } from './records' */
import { html, useState } from './htm.mjs';
import { showProblem, state } from './state.mjs';
import { toneOf } from './tones.mjs';
import { queryOf } from './view.mjs';

// The parts that several places of the page show. Preact turns a text into text, never into markup.

/** @typedef {'to' | 'from' | 'text'} Field a field of the search */

/**
 * Text that a person wrote, in the direction of its own script.
 *
 * @param {{ text: string | null | undefined, field?: Field }} properties
 */
export function UserText({ text, field }) {
  return html`<bdi dir="auto">${text === null || text === undefined ? 'none' : marked(text, field)}</bdi>`;
}

/** Marks what the search has found in a text. @param {string} text @param {Field} [field] what the text is */
export function marked(text, field) {
  const { search, fields } = queryOf();
  const wanted = (field && fields[field]) || search;
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return text;
  const end = at + wanted.length;
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
 * A state: a dot and a word. Only a failure has a ground. A long text is cut, and whole on hover.
 *
 * @param {{ tone: string, text: string, isFaked?: boolean }} properties
 */
export function Pill({ tone, text, isFaked = false }) {
  return html`<span class=${`pill ${tone}${isFaked ? ' faked' : ''}`} title=${text}><${UserText} text=${text} /></span>`;
}

/** The state of a sent message. @param {{ message: SentJson }} properties */
export function StatusPill({ message: { status, statustext } }) {
  return html`<${Pill} tone=${toneOf(status)} text=${statustext || `status ${status}`} />`;
}

/**
 * The state of a call: how many did not arrive, or the state that all or most have.
 *
 * @param {{ statuses: Record<string, number> }} properties
 */
export function CallPill({ statuses }) {
  const entries = ranked(statuses);
  const bad = entries.filter(([status]) => toneOf(status) === 'bad').reduce((sum, [, number]) => sum + number, 0);
  if (bad > 0) return html`<${Pill} tone="bad" text=${`${bad.toLocaleString()} not delivered`} />`;
  const [[status, number] = ['', 0]] = entries.sort(([, one], [, other]) => other - one);
  const text = entries.length > 1 ? `${number.toLocaleString()} ${textOfStatus(status)}` : textOfStatus(status);
  return html`<${Pill} tone=${toneOf(status)} text=${text} />`;
}

/** The shares of the states, bad ones first. @param {{ statuses: Record<string, number> }} properties */
export function Share({ statuses }) {
  const parts = ranked(statuses).map(([status, number]) => {
    const grow = (/** @type {HTMLElement | null} */ part) => part?.style.setProperty('flex-grow', String(number));
    return html`<i key=${status} class=${toneOf(status)} ref=${grow}></i>`;
  });
  return html`<span class="share" aria-hidden="true">${parts}</span>`;
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

/** @param {number} number @param {string} noun */
export function count(number, noun) {
  return `${number.toLocaleString()} ${noun}${number === 1 ? '' : 's'}`;
}

/** @param {{ textOf: () => string, label?: string }} properties */
export function Copy({ textOf, label = 'Copy' }) {
  const [isCopied, setCopied] = useState(false);
  async function onClick() {
    await copy(textOf());
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  }
  return html`<button type="button" onClick=${() => onClick().catch(showProblem)}>${isCopied ? 'Copied' : label}</button>`;
}

/** Copies text. A page that came over http from another machine has no navigator.clipboard. @param {string} text */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const { activeElement } = document;
  const area = Object.assign(document.createElement('textarea'), { value: text });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
}

/** Code with a button that copies it. @param {{ title: string, text: string, children?: unknown }} properties */
export function Code({ title, text, children = text }) {
  return html`<figure>
    <figcaption><h3>${title}</h3><${Copy} textOf=${() => text} /></figcaption>
    <pre>${children}</pre>
  </figure>`;
}
