// @ts-check
/** @import { CallJson, DetailsJson, Fields, RequestJson, TalkJson } from './records' */
import { ask } from './api.mjs';
import { Exchange, formatCurl } from './exchange.mjs';
import { Receive } from './forms.mjs';
import { html, useLayoutEffect, useRef, useState } from './htm.mjs';
import { CallPill, Share } from './list.mjs';
import {
  Copy,
  count,
  dayOf,
  formatTime,
  itemsOf,
  marked,
  Pill,
  ranked,
  StatusPill,
  Time,
  textOfStatus,
  toneOfRequest,
  UserText,
  Word,
} from './parts.mjs';
import { idOf, set, show, showProblem, state, wide } from './state.mjs';
import { toneOf } from './tones.mjs';

// The opened item. A wide page shows the newest item until the user opens another one.

/** @param {{ id: string }} properties */
export function Detail({ id }) {
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  const { view, rows, item } = state;
  useLayoutEffect(() => {
    if (wide.matches) return;
    const row = document.querySelector(`#list [href="${location.hash}"]`);
    pane.current?.focus();
    return () => row instanceof HTMLElement && row.focus();
  }, []);
  // The newest item stays when the user begins to work with it.
  const keep = () => view.id === '' && show({ id });
  // The row of a request has all of it.
  const shown = item && idOf(item) === id ? item : rows?.find((row) => 'method' in row && row.id === id);
  return html`<section id="detail" aria-label="Details" tabindex="-1" ref=${pane} onpointerdown=${keep} onfocusin=${keep}>
    <button type="button" id="back" class="link" onClick=${() => show({ id: '' })}>← Back to the list</button>
    ${shown && html`<${Content} item=${shown} />`}
    ${item === null && html`<p class="quiet">The sandbox has no item with the id ${id}.</p>`}
  </section>`;
}

/** @param {{ item: NonNullable<typeof state.item> }} properties */
function Content({ item }) {
  if ('line' in item) return html`<${Talk} talk=${item} />`;
  if ('method' in item) return html`<${Request} request=${item} />`;
  return 'details' in item ? html`<${Call} ...${item} />` : html`<${Message} message=${item} />`;
}

/** @param {{ message: DetailsJson }} properties */
function Message({ message }) {
  const { messageid, call, sender, receptor, date, operation, cost, request } = message;
  const remove = () => ask(`/sandbox/messages/${messageid}`, 'DELETE').then(() => show({ id: '' }), showProblem);
  const receive = () => set({ dialog: () => html`<${Receive} sender=${receptor ?? ''} receptor=${sender ?? ''} />` });
  return html`<header>
      <h2><${UserText} text=${receptor} /></h2><${Status} message=${message} />
      <div class="actions">
        <${Word} onClick=${receive}>Receive an answer<//>
        ${request && html`<${Copy} textOf=${() => formatCurl(request)} label="Copy as curl" />`}
        <${Word} onClick=${remove}>Delete<//>
      </div>
      <p class="quiet"><${Time} date=${date} isLong=${true} />, by ${operation}</p>
    </header>
    <p id="detail-text" dir="auto">${marked(message.message ?? '')}</p>
    <dl>
      ${field('messageid', html`<code>${messageid}</code> <${Copy} textOf=${() => messageid} />`)}
      ${field('sender', html`<${UserText} text=${sender} />`)}
      ${dateFields(message)}
      ${field('cost', cost.toLocaleString())}
      ${lengthField(message)}
    </dl>
    <${Folds} request=${request} words=${placeOf(request, Number(BigInt(messageid) - BigInt(call)) + 1)} />`;
}

/** The place of a message in its request. @param {RequestJson | null} request @param {number} number */
function placeOf(request, number) {
  const { count: receptors } = itemsOf(request?.fields?.receptor);
  return receptors === 1 ? '1 receptor' : `${count(receptors, 'receptor')}, this is no. ${number.toLocaleString()}`;
}

/** @param {{ call: CallJson, details: DetailsJson }} properties */
function Call({ call, details }) {
  const { id, messages, statuses, date, operation, cost } = call;
  const remove = () => ask(`/sandbox/messages?call=${id}`, 'DELETE').then(() => show({ id: '' }), showProblem);
  const { request } = details;
  return html`<header>
      <h2>${count(messages, 'message')}</h2><${CallPill} statuses=${statuses} />
      <div class="actions">
        ${request && html`<${Copy} textOf=${() => formatCurl(request)} label="Copy as curl" />`}
        <${Word} onClick=${remove}>Delete ${messages.toLocaleString()}<//>
      </div>
      <p class="quiet"><${Time} date=${date} isLong=${true} />, by one ${operation}</p>
    </header>
    <p id="detail-text" dir="auto">${marked(details.message ?? '')}</p>
    <${Share} statuses=${statuses} />
    <dl>
      ${ranked(statuses).map(([status, number]) => html`<dt class="plain"><span class=${`pill dot ${toneOf(status)}`}>${textOfStatus(status)}</span></dt><dd>${number.toLocaleString()}</dd>`)}
    </dl>
    <dl>
      ${field('messageid', html`from <code>${id}</code>`)}
      ${field('sender', html`<${UserText} text=${details.sender} />`)}
      ${dateFields(details)}
      ${field('cost', cost.toLocaleString())}
      ${lengthField(details)}
    </dl>
    <${Folds} request=${request} words=${count(messages, 'receptor')} />`;
}

/** @param {string} name @param {unknown} value */
function field(name, value) {
  return html`<dt>${name}</dt><dd>${value}</dd>`;
}

/** The date of a message, and the fields of its request that belong to it. @param {DetailsJson} details */
function dateFields({ date, mode, operation, request }) {
  const { unixdate } = request?.fields ?? {};
  const modeName = operation === 'SendAdvance' ? 'messagemode' : 'msgmode';
  return html`${field('date', html`${formatTime(date)} <code class="quiet">${date}</code>`)}
    ${unixdate !== undefined && field('unixdate', html`${String(unixdate)} ${String(unixdate) === '0' && html`<span class="quiet">at once</span>`}`)}
    ${field(modeName, mode)}`;
}

/** @param {DetailsJson} details */
function lengthField({ characters, encoding, parts }) {
  return html`<dt class="plain">length</dt><dd>${count(characters, 'character')} in ${encoding}, ${count(parts, 'part')}</dd>`;
}

/** The fields that an opened message shows by itself. */
const SHOWN = new Set(['sender', 'message', 'unixdate', 'msgmode', 'messagemode', 'status', 'statusmessage']);

/**
 * The request with what the facts lack, and its exchange, both folded.
 *
 * @param {{ request: RequestJson | null, words: string }} properties
 */
function Folds({ request, words }) {
  if (request === null) return html`<p class="quiet fold">The sandbox no longer keeps the request that sent this.</p>`;
  const others = Object.entries(request.fields ?? {}).filter(([name]) => !SHOWN.has(name));
  return html`<details>
      <summary><b>Request</b> <span class="quiet">${words}</span></summary>
      <dl>${fieldsOf(Object.fromEntries(others))}</dl>
    </details>
    <${ExchangeFold} request=${request} />`;
}

/** @param {Fields} fields */
function fieldsOf(fields) {
  return Object.entries(fields).map(([name, value]) => {
    const { count: number, first } = itemsOf(value);
    const left = number - first.length;
    const texts = first.map((item, index) => [
      index > 0 && ', ',
      html`<${UserText} text=${item === null ? null : String(item).slice(0, 200)} />`,
    ]);
    return field(
      name,
      html`${texts}${left > 0 && html`, <span class="quiet">and ${left.toLocaleString()} more</span>`}`,
    );
  });
}

/** @param {{ request: RequestJson }} properties */
function ExchangeFold({ request }) {
  const [isOpen, setOpen] = useState(false);
  const { response } = request;
  const facts = [response ? `HTTP ${response.status}` : 'no response', ...factsOf(request)];
  const onToggle = (/** @type {{ currentTarget: HTMLDetailsElement }} */ { currentTarget: fold }) => {
    setOpen(fold.open);
    if (fold.open) requestAnimationFrame(() => fold.scrollIntoView({ block: 'nearest' }));
  };
  return html`<details onToggle=${onToggle}>
    <summary><b>HTTP exchange</b> <span class="quiet">${facts.join(', ')}</span></summary>
    ${isOpen && html`<div id="exchange"><${Exchange} request=${request} /></div>`}
  </details>`;
}

/** The SOAP version and the duration of a request, as far as they are known. @param {RequestJson} request */
function factsOf({ soapVersion, durationMs }) {
  return [
    ...(soapVersion ? [`SOAP ${soapVersion}`] : []),
    ...(durationMs === undefined ? [] : [`${Math.max(1, Math.round(durationMs))} ms`]),
  ];
}

/** @param {{ request: RequestJson }} properties */
function Request({ request }) {
  const { operation, method, url, date, summary = 'under way', reason, fields = {}, reply } = request;
  const given = Object.entries(fields).filter(([name]) => name !== 'status' && name !== 'statusmessage');
  return html`<header>
      <h2><${UserText} text=${operation ?? `${method} ${url}`} /></h2>
      <${Pill} tone=${toneOfRequest(request)} text=${summary} />
      <div class="actions"><${Copy} textOf=${() => formatCurl(request)} label="Copy as curl" /></div>
      <p class="quiet"><${Time} date=${date} isLong=${true} />${factsOf(request).map((fact) => `, ${fact}`)}</p>
    </header>
    ${reason && html`<p id="detail-text" class="bad-text" dir="auto">${reason}</p>`}
    ${reply !== undefined && html`<p class="made">An armed reply was given in place of the service's own response.</p>`}
    ${given.length > 0 && html`<dl>${fieldsOf(Object.fromEntries(given))}</dl>`}
    <div id="exchange"><${Exchange} request=${request} /></div>`;
}

/** The messages between a number and a line in both directions. @param {{ talk: TalkJson }} properties */
function Talk({ talk: { line, number, messages, found } }) {
  let day = '';
  const left = found - messages.length;
  const bubbles = messages.toReversed().flatMap((message) => {
    const isSent = message.direction === 'sent';
    const last = day;
    day = dayOf(message.date) || day;
    const pill = isSent
      ? html`<${StatusPill} message=${message} />`
      : !message.isread && html`<${Pill} tone="unread" text="unread" />`;
    const key = `${message.direction} ${message.messageid}`;
    return [
      day !== last && html`<li class="day quiet" key=${`day ${key}`}>${day}</li>`,
      html`<li class=${isSent ? 'out' : 'in'} key=${key}>
        <p dir="auto">${marked(message.message ?? '')}</p>
        <small class="quiet"><${Time} date=${message.date} /> ${pill}</small>
      </li>`,
    ];
  });
  return html`<header><h2><${UserText} text=${number} /></h2><p class="quiet">with line <${UserText} text=${line} /></p></header>
    <ol id="talk">${left > 0 && html`<li class="day quiet">${count(left, 'earlier message')}</li>`}${bubbles}</ol>
    <${Write} line=${line} number=${number} />`;
}

/** A form for another message of a conversation. @param {{ line: string, number: string }} properties */
function Write({ line, number }) {
  const onSubmit = (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const message = new FormData(form).get('message');
    ask('/sandbox/received', 'POST', { sender: number, receptor: line, message }).then(() => form.reset(), showProblem);
  };
  return html`<form id="write" onSubmit=${onSubmit}>
    <input name="message" aria-label=${`Another text from ${number}`} placeholder=${`Another text from ${number}`} dir="auto" autocomplete="off" required />
    <button type="submit" class="main">Receive it</button>
  </form>`;
}

/** The status of a message, as the menu that changes it. @param {{ message: DetailsJson }} properties */
function Status({ message: { messageid, status, statustext } }) {
  const change = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    ask(`/sandbox/messages/${messageid}/status`, 'PUT', { status: Number(currentTarget.value) }).catch(showProblem);
  const isKnown = state.service.statuses.some(([known]) => known === status);
  return html`<select class=${`pill ${toneOf(status)}`} aria-label="Status" value=${String(status)} onChange=${change}>
    ${!isKnown && html`<option value=${String(status)}>${status} ${statustext ?? ''}</option>`}
    ${state.service.statuses.map(([known, text]) => html`<option key=${known} value=${String(known)}>${known} ${text}</option>`)}
  </select>`;
}
