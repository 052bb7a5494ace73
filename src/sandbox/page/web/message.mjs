// @ts-check
/** @import { CallJson, DetailsJson, RequestJson } from './records' */
import { attempt } from './acts.mjs';
import { formatCurl } from './exchange.mjs';
import { moveCursorOn, openDialog } from './focus.mjs';
import { Receive } from './forms.mjs';
import { Head } from './head.mjs';
import { html } from './htm.mjs';
import { CallPill, Copy, count, itemsOf, marked, ranked, Share, textOfStatus, UserText } from './parts.mjs';
import { withField } from './query.mjs';
import { ExchangeFold, field, fieldsOf } from './request.mjs';
import { state } from './state.mjs';
import { formatTime, Time } from './times.mjs';
import { toneOf } from './tones.mjs';
import { addressOf, show } from './view.mjs';

// An opened message, and an opened call of several messages.

/** @param {{ message: DetailsJson }} properties */
export function Message({ message }) {
  const { messageid, call, sender, receptor, date, operation, cost, request } = message;
  const remove = () => removeShown(`The message to ${receptor} was deleted.`, `/sandbox/messages/${messageid}`);
  const receive = () => openDialog(() => html`<${Receive} sender=${receptor ?? ''} receptor=${sender ?? ''} />`);
  return html`<${Head}>
      <h2><${UserText} text=${receptor} field="to" /></h2><${Status} message=${message} />
      <div class="actions">
        <button type="button" onClick=${receive}>Receive an answer</button>
        ${request && html`<${Copy} textOf=${() => formatCurl(request)} label="Copy as curl" />`}
        <button type="button" class="danger" onClick=${remove}>Delete</button>
      </div>
      <p class="quiet"><${Time} date=${date} isLong=${true} />, by ${operation}<${All} name="to" value=${receptor} /></p>
    <//>
    <p id="detail-text" dir="auto">${marked(message.message ?? '', 'text')}</p>
    <dl>
      ${field('messageid', html`<code>${messageid}</code> <${Copy} textOf=${() => messageid} />`)}
      ${field('sender', html`<${UserText} text=${sender} field="from" /><${All} name="from" value=${sender} />`)}
      ${dateFields(message)}
      ${otherFields(message)}
      ${field('cost', cost.toLocaleString())}
      ${lengthField(message)}
    </dl>
    <${Folds} request=${request} words=${placeOf(request, Number(BigInt(messageid) - BigInt(call)) + 1)} />`;
}

/** A link to all messages with this value. @param {{ name: 'to' | 'from', value: string | undefined }} properties */
function All({ name, value }) {
  if (!value) return null;
  const search = withField('', name, value);
  return html` <a class="all" href=${addressOf({ list: 'sent', id: '', search })}>all ${name} ${name === 'to' ? 'it' : 'this sender'}</a>`;
}

/** Removes what is opened. The keyboard goes on at the next row. @param {string} words @param {string} path */
async function removeShown(words, path) {
  moveCursorOn();
  if (await attempt(words, path, 'DELETE')) show({ id: '' });
}

/** The place of a message in its request. @param {RequestJson | null} request @param {number} number */
function placeOf(request, number) {
  const { count: receptors } = itemsOf(request?.fields?.receptor);
  return receptors === 1 ? '1 receptor' : `${count(receptors, 'receptor')}, this is no. ${number.toLocaleString()}`;
}

/** @param {{ call: CallJson, details: DetailsJson }} properties */
export function Call({ call, details }) {
  const { id, messages, statuses, date, operation, cost } = call;
  const { request } = details;
  const remove = () => removeShown(`${count(messages, 'message')} were deleted.`, `/sandbox/messages?call=${id}`);
  return html`<${Head}>
      <h2>${count(messages, 'message')}</h2><${CallPill} statuses=${statuses} />
      <div class="actions">
        ${request && html`<${Copy} textOf=${() => formatCurl(request)} label="Copy as curl" />`}
        <button type="button" class="danger" onClick=${remove}>Delete ${messages.toLocaleString()}</button>
      </div>
      <p class="quiet"><${Time} date=${date} isLong=${true} />, by one ${operation}</p>
    <//>
    <p id="detail-text" dir="auto">${marked(details.message ?? '', 'text')}</p>
    <${Share} statuses=${statuses} />
    <dl>
      ${ranked(statuses).map(([status, number]) => html`<dt class="plain"><span class=${`pill dot ${toneOf(status)}`}>${textOfStatus(status)}</span></dt><dd>${number.toLocaleString()}</dd>`)}
    </dl>
    <dl>
      ${field('messageid', html`from <code>${id}</code>`)}
      ${field('sender', html`<${UserText} text=${details.sender} field="from" />`)}
      ${dateFields(details)}
      ${field('cost', cost.toLocaleString())}
      ${lengthField(details)}
    </dl>
    <${Folds} request=${request} words=${count(messages, 'receptor')} />`;
}

/** The date of a message, and the fields of its request that belong to it. @param {DetailsJson} details */
function dateFields({ date, mode, operation, request }) {
  const { unixdate } = request?.fields ?? {};
  const modeName = operation === 'SendAdvance' ? 'messagemode' : 'msgmode';
  return html`${field('date', html`${formatTime(date)} <code class="quiet">${date}</code>`)}
    ${unixdate !== undefined && field('unixdate', html`${String(unixdate)} ${String(unixdate) === '0' && html`<span class="quiet">at once</span>`}`)}
    ${field(modeName, mode)}`;
}

/** The fields that an opened message shows by itself, and its heading. */
const SHOWN = new Set([
  'sender',
  'message',
  'receptor',
  'unixdate',
  'msgmode',
  'messagemode',
  'status',
  'statusmessage',
]);

/** The other values of its request: the encoding, the fallback URL and the client's id. @param {DetailsJson} details */
function otherFields({ request }) {
  const isOther = (/** @type {[string, unknown]} */ [name, value]) =>
    !SHOWN.has(name) && value !== null && typeof value !== 'object';
  return fieldsOf(Object.fromEntries(Object.entries(request?.fields ?? {}).filter(isOther)));
}

/** @param {DetailsJson} details */
function lengthField({ characters, encoding, parts }) {
  return html`<dt class="plain">length</dt><dd>${count(characters, 'character')} in ${encoding}, ${count(parts, 'part')}</dd>`;
}

/**
 * The lists of the request, which the facts lack, and its exchange, both folded.
 *
 * @param {{ request: RequestJson | null, words: string }} properties
 */
function Folds({ request, words }) {
  if (request === null) return html`<p class="quiet lost">The sandbox no longer keeps the request that sent this.</p>`;
  const lists = Object.entries(request.fields ?? {}).filter(
    ([name, value]) => name === 'receptor' || (typeof value === 'object' && value !== null),
  );
  return html`<details>
      <summary><b>Request</b> <span class="quiet">${words}</span></summary>
      <dl>${fieldsOf(Object.fromEntries(lists))}</dl>
    </details>
    <${ExchangeFold} request=${request} />`;
}

/** The status of a message, as the menu that changes it. @param {{ message: DetailsJson }} properties */
function Status({ message: { messageid, receptor, status, statustext } }) {
  const change = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget: { value } }) =>
    attempt(
      `The status of the message to ${receptor} is ${value} ${textOfStatus(value)}.`,
      `/sandbox/messages/${messageid}/status`,
      'PUT',
      { status: Number(value) },
    );
  const isKnown = state.service.statuses.some(([known]) => known === status);
  return html`<select class=${`status ${toneOf(status)}`} aria-label="Status" dir="auto" value=${String(status)} onChange=${change}>
    ${!isKnown && html`<option value=${String(status)}>${status} ${statustext ?? ''}</option>`}
    ${state.service.statuses.map(([known, text]) => html`<option key=${known} value=${String(known)}>${known} ${text}</option>`)}
  </select>`;
}
