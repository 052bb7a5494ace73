// @ts-check
/** @import { DetailsJson, Item, ReceivedJson, RequestJson, SentJson, ServiceJson, State } from './records' */
import { ask } from './api.mjs';
import { Exchange, fieldsOf, formatCurl, reasonOf } from './exchange.mjs';
import { html, useEffect, useRef, useState } from './htm.mjs';
import { Chip, Copy, count, formatTime, nameOf, Own, State as Pill, Time, toneOf } from './parts.mjs';
import { idOf, load, open, showProblem, wide } from './state.mjs';

// The opened item. A wide page shows the newest item until the user opens another one.

/** @param {State} properties */
export function Detail({ view, shown, service, now }) {
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  const last = useRef('');
  const id = view.id ?? (wide.matches ? shown?.id : null);
  // A click on the newest item, which opens it, must not move what is under the pointer.
  useEffect(() => pane.current?.scrollTo(0, 0), [view.list, id]);
  useEffect(() => {
    if (view.id !== null && !wide.matches) pane.current?.focus();
    const row = document.querySelector(`#list [href="${last.current}"]`);
    if (view.id === null && row instanceof HTMLElement) row.focus();
    last.current = view.id === null ? '' : `#/${view.list}/${view.id}`;
  }, [view.list, view.id]);
  if (shown === null || !id) return null;
  const item = shown.items.find((one) => idOf(one) === id) ?? (shown.id === id ? shown.item : undefined);
  const details = shown.details?.messageid === id ? shown.details : null;
  // The newest item stays when the user begins to work with it.
  const keep = () => view.id === null && open(id);
  return html`<section id="detail" aria-label="Details" tabindex="-1" ref=${pane} onpointerdown=${keep} onfocusin=${keep}>
    <button type="button" id="back" onClick=${() => open(null)}>← Back to the list</button>
    ${item && html`<${Content} key=${id} item=${item} details=${details} service=${service} now=${now} />`}
    ${item === null && html`<p class="nothing soft">The sandbox has no item with the id ${id}.</p>`}
  </section>`;
}

/** @param {{ item: Item, details: DetailsJson | null, service: ServiceJson | null, now: number }} properties */
function Content({ item, details, service, now }) {
  const [isOpen, setOpen] = useState('method' in item);
  const request = 'method' in item ? item : details?.request;
  const reason = 'method' in item ? reasonOf(item) : '';
  return html`<header>
      <h2><${Own} text=${nameOf(item)} /></h2><${Pill} item=${item} /><${Time} date=${item.date} now=${now} />
    </header>
    ${reason !== '' && html`<p class="bad"><${Own} text=${reason} /></p>`}
    ${'message' in item && html`<p id="detail-text" dir="auto">${item.message ?? ''}</p>`}
    ${details && html`<p class="soft">${describeLength(details)}</p>`}
    ${'method' in item && html`<p class="soft">${describeCall(item)}</p>`}
    ${
      'message' in item &&
      html`<div class="facts">
        <dl>${messageFields(item, details)}</dl>
        ${details?.request && html`<dl>${givenFields(details.request)}</dl>`}
      </div>`
    }
    ${details?.request === null && html`<p class="soft">The sandbox no longer keeps the request that sent this message.</p>`}
    ${'status' in item && html`<${Status} message=${item} service=${service} />`}
    <div class="bar">
      ${request && html`<button type="button" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${isOpen ? 'Hide' : 'Show'} the exchange</button>`}
      ${request && html`<${Copy} textOf=${() => formatCurl(request)} label="Copy as curl" isSmall=${false} />`}
      ${'status' in item && html`<button type="button" class="bad" onClick=${() => remove(item)}>Delete</button>`}
    </div>
    ${request && isOpen && html`<div id="exchange"><${Exchange} request=${request} /></div>`}`;
}

/** @param {DetailsJson} details */
function describeLength({ characters, units, encoding, parts }) {
  return `${count(characters, 'character')}, ${count(units, 'unit')} of ${encoding}, ${count(parts, 'part')}`;
}

/** @param {RequestJson} request */
function describeCall({ soapVersion, date, durationMs }) {
  const duration = durationMs !== undefined && `response after ${Math.round(durationMs)} ms`;
  return [soapVersion && `SOAP ${soapVersion}`, formatTime(date), duration].filter(Boolean).join(', ');
}

/** @param {SentJson} message */
async function remove({ messageid }) {
  await ask(`/sandbox/messages/${messageid}`, 'DELETE').then(() => open(null), showProblem);
  load();
}

/** @param {string} name @param {unknown[]} values */
function field(name, ...values) {
  return html`<dt>${name}</dt><dd>${values}</dd>`;
}

/** @param {SentJson | ReceivedJson} message @param {DetailsJson | null} details */
function messageFields(message, details) {
  const { messageid, sender, receptor, date } = message;
  return [
    field('Id', html`<code>${messageid}</code> `, html`<${Copy} textOf=${() => messageid} />`),
    // The other phone is the heading.
    'isread' in message
      ? field('To', html`<${Own} text=${receptor} />`)
      : field('From', html`<${Own} text=${sender} />`),
    field('Date', formatTime(date), html` <code class="soft">${date}</code>`),
    'cost' in message && field('Cost', message.cost),
    details && field('Operation', `${details.operation}, mode ${details.mode}`),
  ];
}

/** The number of values of a list, and of characters of a value, that are shown. */
const MAX_VALUES = 10;
const MAX_CHARACTERS = 100;

/** All fields of a request, under the names of the contract. @param {RequestJson} request */
function givenFields({ body }) {
  return fieldsOf(body).map(({ name, values }) => {
    const texts = values
      .slice(0, MAX_VALUES)
      .map((value) => value.slice(0, MAX_CHARACTERS) + (value[MAX_CHARACTERS] ? '…' : ''));
    const rest = values.length - texts.length;
    return field(
      name,
      texts.map((text, index) => [index > 0 && ', ', html`<${Own} text=${text} />`]),
      rest > 0 && ` and ${rest.toLocaleString()} more`,
    );
  });
}

/**
 * The known statuses as buttons, and a form for any other one.
 *
 * @param {{ message: SentJson, service: ServiceJson | null }} properties
 */
function Status({ message: { messageid, status, statustext }, service }) {
  const change = (/** @type {object} */ body) => ask(`/sandbox/messages/${messageid}/status`, 'PUT', body);
  const onSubmit = (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = Object.fromEntries(new FormData(form));
    const text = given.statustext === '' ? {} : { statustext: given.statustext };
    change({ status: Number(given.status), ...text }).then(() => form.reset(), showProblem);
  };
  return html`<form id="status-form" onSubmit=${onSubmit}>
    <h3>Change the status</h3>
    <div class="bar">
      ${service?.statuses.map(([known, text]) => html`<${Chip} key=${known} tone=${toneOf(known)} isChosen=${status === known} onClick=${() => change({ status: known }).catch(showProblem)}>${text}<//>`)}
    </div>
    <div class="bar">
      <label>Status <input name="status" type="number" min="-2147483648" max="2147483647" required placeholder=${status} /></label>
      <label>Text <input name="statustext" dir="auto" placeholder=${statustext} autocomplete="off" /></label>
      <button type="submit">Change status</button>
    </div>
  </form>`;
}
