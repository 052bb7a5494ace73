// @ts-check
/** @import { DetailJson, Item, ReceivedJson, RequestJson, SentJson } from './records' */
import { onClick, onSubmit } from './actions.mjs';
import { ask } from './api.mjs';
import { byId, fieldIn, make } from './dom.mjs';
import { exchangeParts, formatCurl } from './exchange.mjs';
import { copyButton, formatTime, outcomePill, ownText, statusPill } from './parts.mjs';

// The details of the selected item.

const main = byId('main', HTMLElement);
const pane = byId('detail', HTMLElement);
const text = byId('detail-text', HTMLElement);
const fields = byId('fields', HTMLElement);
const statusForm = byId('status-form', HTMLFormElement);
const tools = byId('tools', HTMLElement);
const exchange = byId('exchange', HTMLElement);
/** The value of the field Status, which changes while a message is shown. */
const statusValue = make('dd');

/** @type {Item | null} */
let shown = null;

/** @param {Item} item */
export function idOf(item) {
  return 'messageid' in item ? item.messageid : item.id;
}

/** The time after which a message that nobody chose shows more, in milliseconds. Meanwhile another one may take its place. */
const CALM_MS = 400;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let loading;

/**
 * @param {Item} item
 * @param {boolean} isFollowed true when the user did not choose the item
 */
export function showDetail(item, isFollowed) {
  const isSame = shown !== null && idOf(shown) === idOf(item) && 'method' in shown === 'method' in item;
  pane.hidden = false;
  main.classList.add('reading');
  if (isSame) {
    updateDetail(item);
    return;
  }
  shown = item;
  render(item);
  pane.scrollTop = 0;
  clearTimeout(loading);
  // A message that was removed meanwhile has no more to show.
  const load = () => loadMore(item).catch(() => undefined);
  loading = setTimeout(load, isFollowed ? CALM_MS : 0);
}

export function hideDetail() {
  clearTimeout(loading);
  shown = null;
  pane.hidden = true;
  main.classList.remove('reading');
}

/** True where the details hide the list, as on a narrow screen. */
export function isNarrow() {
  return getComputedStyle(byId('back', HTMLElement)).getPropertyValue('--narrow') === '1';
}

/** Moves the focus to the details where they hide the list. */
export function focusDetail() {
  if (isNarrow()) pane.focus();
}

/**
 * Shows the changes of an item if its details are shown.
 *
 * @param {Item} item
 */
export function updateDetail(item) {
  if (shown === null || idOf(shown) !== idOf(item)) return;
  shown = item;
  // The rest of a sent message stays as it is, with an exchange that was opened and a form that is being filled in.
  if ('status' in item) statusValue.replaceChildren(statusPill(item));
  else render(item);
}

/** Lets the user change the status of the message that is shown. */
export function startDetail() {
  onSubmit(statusForm, async () => {
    if (shown === null) return;
    const statustext = fieldIn(statusForm, 'statustext').value;
    await ask(`/sandbox/messages/${idOf(shown)}/status`, 'PUT', {
      status: Number(fieldIn(statusForm, 'status').value),
      ...(statustext !== '' && { statustext }),
    });
  });
}

/** @param {Item} item */
function render(item) {
  text.hidden = !('message' in item);
  text.textContent = 'message' in item ? (item.message ?? '') : '';
  statusForm.hidden = !('status' in item);
  tools.replaceChildren();
  if ('method' in item) {
    fields.replaceChildren(...requestFields(item));
    tools.replaceChildren(copyButton(() => formatCurl(item), 'Copy as curl', 'quiet'));
    exchange.replaceChildren(...exchangeParts(item));
  } else if ('isread' in item) {
    fields.replaceChildren(...messageFields(item), ...field('State', item.isread ? 'read' : 'unread'));
    exchange.replaceChildren();
  } else {
    statusValue.replaceChildren(statusPill(item));
    fields.replaceChildren(
      make('dt', { textContent: 'Status' }),
      statusValue,
      ...messageFields(item),
      ...field('Cost', String(item.cost)),
    );
    fieldIn(statusForm, 'status').value = String(item.status);
    fieldIn(statusForm, 'statustext').value = '';
    /** @type {HTMLElement} */ (statusForm.querySelector('.error')).textContent = '';
    exchange.replaceChildren();
  }
}

/**
 * Adds what the record of a sent message does not say.
 *
 * @param {Item} item
 */
async function loadMore(item) {
  if (!('status' in item)) return;
  const { messageid } = item;
  const found = /** @type {DetailJson} */ (await ask(`/sandbox/messages/${messageid}`));
  if (shown === null || idOf(shown) !== messageid) return;
  const { operation, mode, encoding, characters, units, parts, request } = found;
  fields.append(
    ...field(
      'Text',
      `${count(characters, 'character')}, ${encoding}, ${count(parts, 'part')}`,
      small(count(units, 'unit')),
    ),
    ...field('Operation', operation, small(`mode ${mode}`)),
  );
  const remove = make('button', { type: 'button', className: 'quiet risky', textContent: 'Delete' });
  onClick(remove, () => ask(`/sandbox/messages/${messageid}`, 'DELETE'));
  if (request === null) {
    tools.replaceChildren(remove);
    exchange.replaceChildren(
      make('p', { className: 'small', textContent: 'The sandbox no longer keeps the request that sent this message.' }),
    );
    return;
  }
  const show = make('button', { type: 'button', className: 'quiet', textContent: 'Show the raw exchange' });
  show.addEventListener('click', () => {
    show.remove();
    exchange.replaceChildren(...exchangeParts(request));
  });
  tools.replaceChildren(
    show,
    copyButton(() => formatCurl(request), 'Copy as curl', 'quiet'),
    remove,
  );
}

/**
 * @param {number} number
 * @param {string} noun
 */
function count(number, noun) {
  return `${number.toLocaleString()} ${noun}${number === 1 ? '' : 's'}`;
}

/** @param {string} textContent */
function small(textContent) {
  return make('span', { className: 'small', textContent });
}

/**
 * @param {string} name
 * @param {(Node | string)[]} values
 */
function field(name, ...values) {
  return [make('dt', { textContent: name }), make('dd', {}, ...values)];
}

/** @param {SentJson | ReceivedJson} message */
function messageFields({ messageid, sender, receptor, date }) {
  return [
    ...field(
      'Id',
      make('span', { className: 'id', textContent: messageid }),
      copyButton(() => messageid),
    ),
    ...field('From', ownText(sender ?? 'none')),
    ...field('To', ownText(receptor ?? 'none')),
    ...field('Date', formatTime(date), make('span', { className: 'id small', textContent: String(date) })),
  ];
}

/** @param {RequestJson} request */
function requestFields(request) {
  const { method, url, operation, soapVersion, date, durationMs } = request;
  return [
    ...field('Outcome', outcomePill(request)),
    ...field('Request', `${method} ${url}`),
    ...field('Operation', operation ? `${operation}, SOAP ${soapVersion}` : 'none'),
    ...field('Date', formatTime(date)),
    ...field('Duration', durationMs === undefined ? '–' : `${Math.round(durationMs)} ms`),
  ];
}
