// @ts-check
/** @import { Item, ReceivedJson, RequestJson, SentJson } from './records' */
import { onClick, onSubmit } from './actions.mjs';
import { ask } from './api.mjs';
import { byId, fieldIn, make } from './dom.mjs';
import { codeBlock, copyButton, formatTime, outcomePill, ownText, statusPill } from './parts.mjs';

// The details of the selected item.

const main = byId('main', HTMLElement);
const pane = byId('detail', HTMLElement);
const text = byId('detail-text', HTMLElement);
const fields = byId('fields', HTMLElement);
const statusForm = byId('status-form', HTMLFormElement);
const exchange = byId('exchange', HTMLElement);
/** The value of the field Status, which changes while a message is shown. */
const statusValue = make('dd');

/** @type {Item | null} */
let shown = null;

/** @param {Item} item */
export function idOf(item) {
  return 'messageid' in item ? item.messageid : item.id;
}

/** @param {Item} item */
export function showDetail(item) {
  shown = item;
  pane.hidden = false;
  main.classList.add('reading');
  render(item);
  pane.scrollTop = 0;
}

export function hideDetail() {
  shown = null;
  pane.hidden = true;
  main.classList.remove('reading');
}

/** Moves the focus to the details where they hide the list, as on a narrow screen. */
export function focusDetail() {
  if (getComputedStyle(byId('back', HTMLElement)).display !== 'none') pane.focus();
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
  if ('method' in item) {
    fields.replaceChildren(...requestFields(item));
    exchange.replaceChildren(...exchangeParts(item));
  } else if ('isread' in item) {
    fields.replaceChildren(...messageFields(item), ...field('State', item.isread ? 'read' : 'unread'));
    exchange.replaceChildren();
  } else {
    statusValue.replaceChildren(statusPill(item));
    fields.replaceChildren(
      ...messageFields(item),
      make('dt', { textContent: 'Status' }),
      statusValue,
      ...field('Cost', String(item.cost)),
    );
    fieldIn(statusForm, 'status').value = String(item.status);
    fieldIn(statusForm, 'statustext').value = '';
    /** @type {HTMLElement} */ (statusForm.querySelector('.error')).textContent = '';
    exchange.replaceChildren(exchangeButton(item));
  }
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
    ...field('Id', make('span', { className: 'id', textContent: messageid }), copyButton(messageid)),
    ...field('From', ownText(sender ?? 'none')),
    ...field('To', ownText(receptor ?? 'none')),
    ...field('Date', formatTime(date), make('span', { className: 'id', textContent: String(date) })),
  ];
}

/** @param {RequestJson} request */
function requestFields(request) {
  const { method, url, operation, soapVersion, date, durationMs } = request;
  return [
    ...field('Request', `${method} ${url}`),
    ...field('Operation', operation ? `${operation}, SOAP ${soapVersion}` : 'none'),
    ...field('Outcome', outcomePill(request)),
    ...field('Date', formatTime(date)),
    ...field('Duration', durationMs === undefined ? '–' : `${Math.round(durationMs)} ms`),
  ];
}

/** @param {SentJson} message */
function exchangeButton(message) {
  const button = make('button', { type: 'button', className: 'quiet', textContent: 'Show the raw exchange' });
  onClick(button, async () => {
    const { requests } = await ask(`/sandbox/requests?message=${message.messageid}`);
    if (shown === null || idOf(shown) !== message.messageid) return;
    const missing = make('p', { textContent: 'The sandbox no longer keeps the request that sent this message.' });
    exchange.replaceChildren(...(requests[0] ? exchangeParts(requests[0]) : [missing]));
  });
  return button;
}

/**
 * Shows a request and its response as they crossed the wire.
 *
 * @param {RequestJson} request
 */
function exchangeParts({ method, url, headers, body, response }) {
  return [
    make('h3', { textContent: 'Request' }),
    codeBlock(`${method} ${url} HTTP/1.1\n${formatHeaders(headers)}\n${body}`),
    make('h3', { textContent: 'Response' }),
    response === null
      ? make('p', { textContent: 'None: the connection was dropped, or the response is still to come.' })
      : codeBlock(`HTTP/1.1 ${response.status}\n${formatHeaders(response.headers)}\n${response.body}`),
  ];
}

/** @param {RequestJson['headers']} headers */
function formatHeaders(headers) {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}
