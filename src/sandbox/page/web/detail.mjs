// @ts-check
/** @import { DetailsJson, Item, RequestJson, SentJson } from './records' */
import { ask } from './api.mjs';
import { Exchange, fieldsOf, formatCurl, reasonOf } from './exchange.mjs';
import { html, useLayoutEffect, useRef, useState } from './htm.mjs';
import { Chip, Copy, count, formatTime, nameOf, Own, Pill, Time, toneOf } from './parts.mjs';
import { idOf, show, showProblem, state, wide } from './state.mjs';

// The opened item. A wide page shows the newest item until the user opens another one.

/** @param {{ id: string }} properties */
export function Detail({ id }) {
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  const { view, items, item: loaded } = state;
  useLayoutEffect(() => {
    if (wide.matches) return;
    const row = document.querySelector(`#list [href="${location.hash}"]`);
    pane.current?.focus();
    return () => row instanceof HTMLElement && row.focus();
  }, []);
  // The newest item stays when the user begins to work with it.
  const keep = () => view.id === '' && show({ id });
  const item = [loaded, ...(items ?? [])].find((one) => one && idOf(one) === id);
  return html`<section id="detail" aria-label="Details" tabindex="-1" ref=${pane} onpointerdown=${keep} onfocusin=${keep}>
    <button type="button" id="back" onClick=${() => show({ id: '' })}>← Back to the list</button>
    ${item && html`<${Content} item=${item} />`}
    ${loaded === null && html`<p class="nothing soft">The sandbox has no item with the id ${id}.</p>`}
  </section>`;
}

/** @param {{ item: Item | DetailsJson }} properties */
function Content({ item }) {
  const [isOpen, setOpen] = useState('method' in item);
  const details = 'parts' in item ? item : null;
  const request = 'method' in item ? item : details?.request;
  const reason = 'method' in item && reasonOf(item);
  const remove = () => ask(`/sandbox/messages/${idOf(item)}`, 'DELETE').then(() => show({ id: '' }), showProblem);
  return html`<header>
      <h2><${Own} text=${nameOf(item)} /></h2><${Pill} item=${item} /><${Time} date=${item.date} />
    </header>
    ${reason && html`<p class="bad"><${Own} text=${reason} /></p>`}
    ${'message' in item && html`<p id="detail-text" dir="auto">${item.message ?? ''}</p>`}
    ${
      'message' in item &&
      html`<div class="bar facts">
        <dl>
          ${field('Id', html`<code>${item.messageid}</code> <${Copy} textOf=${() => item.messageid} />`)}
          ${'isread' in item ? field('To', item.receptor) : field('From', item.sender)}
          ${field('Date', html`${formatTime(item.date)} <code class="soft">${item.date}</code>`)}
          ${'cost' in item && field('Cost', item.cost)}
          ${details && field('Operation', `${details.operation}, mode ${details.mode}`)}
          ${details && field('Length', lengthOf(details))}
        </dl>
        ${request && html`<dl>${givenFields(request)}</dl>`}
      </div>`
    }
    ${details?.request === null && html`<p class="soft">The sandbox no longer keeps the request that sent this message.</p>`}
    ${'status' in item && html`<${Status} message=${item} />`}
    <div class="bar">
      ${request && html`<button type="button" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${isOpen ? 'Hide' : 'Show'} the exchange</button>`}
      ${request && html`<${Copy} textOf=${() => formatCurl(request)} label="Copy as curl" isSmall=${false} />`}
      ${'status' in item && html`<button type="button" class="bad" onClick=${remove}>Delete</button>`}
    </div>
    ${request && isOpen && html`<div id="exchange"><${Exchange} request=${request} /></div>`}`;
}

/** @param {string} name @param {unknown} value */
function field(name, value) {
  return html`<dt>${name}</dt><dd><bdi>${value ?? 'none'}</bdi></dd>`;
}

/** @param {DetailsJson} details */
function lengthOf({ characters, units, encoding, parts }) {
  return `${encoding}: ${count(characters, 'character')}, ${count(units, 'unit')}, ${count(parts, 'part')}`;
}

/** The number of characters that are read for the fields of a request, and that are shown of each field. */
const MAX_READ = 500_000;
const MAX_SHOWN = 100;

/** All fields of a request, under the names of the contract. @param {RequestJson} request */
function givenFields(request) {
  return fieldsOf(request, MAX_READ).map(({ name, text }) => {
    return field(name, text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
  });
}

/** The known statuses as buttons. @param {{ message: SentJson }} properties */
function Status({ message: { messageid, status } }) {
  const change = (/** @type {number} */ known) =>
    ask(`/sandbox/messages/${messageid}/status`, 'PUT', { status: known }).catch(showProblem);
  return html`<div class="bar" role="group" aria-label="Change the status">
    <h3>Change the status</h3>
    ${state.service.statuses.map(([known, text]) => html`<${Chip} key=${known} tone=${toneOf(known)} isChosen=${status === known} onClick=${() => change(known)}>${text}<//>`)}
  </div>`;
}
