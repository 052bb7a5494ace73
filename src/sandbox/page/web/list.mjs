// @ts-check
/** @import { Item, RequestJson } from './records' */
import { reasonOf, valuesOf } from './exchange.mjs';
import { RemoveFound } from './forms.mjs';
import { html } from './htm.mjs';
import { Chip, count, dayOf, nameOf, Own, Pill, Time, toneOf } from './parts.mjs';
import { addressOf, idOf, loadSoon, set, show, shownId, state } from './state.mjs';

// The list: sent messages, received messages or requests, newest first, with what filters them.

export function List() {
  const { view, items, next } = state;
  const placeholder = `Search ${view.list === 'requests' ? 'any part of a request' : 'id, sender, receptor, text'}`;
  const nothing =
    view.search || view.status ? 'Nothing matches.' : `Nothing was ${view.list === 'sent' ? 'sent' : 'received'} yet.`;
  const onInput = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    show({ search: currentTarget.value, before: '' }, 'replaceState');
  const onScroll = (/** @type {{ currentTarget: HTMLElement }} */ { currentTarget }) =>
    currentTarget.scrollTop === 0 && loadSoon();
  // A list with another key begins at its top.
  return html`<section id="list-pane" aria-label="List">
    <div class="filters">
      <input id="search" type="search" aria-label="Search" aria-keyshortcuts="/" placeholder=${placeholder} value=${view.search}
        onInput=${onInput} dir="auto" autocomplete="off" spellcheck=${false} />
      ${view.list === 'sent' && html`<${Chips} />`}
      ${(view.search !== '' || view.status !== '') && items !== null && items.length > 0 && html`<${Found} />`}
    </div>
    <ol id="list" key=${addressOf({ ...view, id: '' })} onScroll=${onScroll}>
      ${items && rowsOf(items)}
      ${items?.length === 0 && html`<li class="nothing soft">${nothing}</li>`}
    </ol>
    ${
      (view.before !== '' || next !== null) &&
      html`<p class="bar pages">
        <button type="button" hidden=${view.before === ''} onClick=${() => show({ before: '' })}>↑ Newest</button>
        <button type="button" hidden=${next === null} onClick=${() => show({ before: next ?? '' })}>Older →</button>
      </p>`
    }
  </section>`;
}

/** The number of items that search and chip find. */
function Found() {
  const { view, items, next, found } = state;
  const remove = () => set({ dialog: RemoveFound });
  const isMore = found === null && (view.before !== '' || next !== null);
  return html`<p class="bar soft">
    ${(found?.found ?? items?.length)?.toLocaleString()}${isMore && ' or more'} found
    ${view.list === 'sent' && html`<button type="button" class="chip" onClick=${remove}>Delete what was found</button>`}
  </p>`;
}

/** A chip for each status that a message has. */
function Chips() {
  const { view, overview, service, found } = state;
  const texts = new Map(service.statuses.map(([status, text]) => [String(status), text]));
  // The chip that filters stays when no message has its status any more.
  const { statuses, messages } = found?.all ?? overview;
  const numbers = { ...(view.status && { [view.status]: 0 }), ...statuses };
  const chip = (/** @type {string} */ status, /** @type {string} */ text, /** @type {number} */ number) =>
    html`<${Chip} key=${status} tone=${status && toneOf(status)} isChosen=${view.status === status} onClick=${() => show({ status, before: '' })}>
      ${text} <b>${number.toLocaleString()}</b>
    <//>`;
  return html`<div class="bar" role="group" aria-label="Statuses">
    ${chip('', 'all', messages)}
    ${Object.entries(numbers).map(([status, number]) => chip(status, texts.get(status) ?? `status ${status}`, number))}
  </div>`;
}

/** The rows with a heading for each day, and with a line for each call of several messages. @param {Item[]} items */
function rowsOf(items) {
  let day = '';
  const calls = Map.groupBy(items, (item) => ('call' in item ? item.call : idOf(item)));
  return [...calls].flatMap(([key, call]) => {
    const [first] = /** @type {[Item]} */ (call);
    const last = day;
    day = dayOf(first.date) || day;
    const isInCall = call.length > 1;
    const isSame = isInCall && call.every((item) => textOf(item) === textOf(first));
    return [
      day !== last && html`<li class="day" key=${`day ${key}`}><h2 class="soft">${day}</h2></li>`,
      isInCall &&
        html`<li class="call" key=${`call ${key}`}>
          <span class="soft">${count(call.length, 'message')} of one call</span><${Time} date=${first.date} />
          ${isSame && html`<${Preview} text=${textOf(first)} />`}
        </li>`,
      ...call.map((item) => html`<${Row} key=${idOf(item)} item=${item} isInCall=${isInCall} isShort=${isSame} />`),
    ];
  });
}

/** @param {Item} item */
function textOf(item) {
  return 'message' in item ? item.message : null;
}

/** A row shows one line, however long the text is. @param {{ text: string | null }} properties */
function Preview({ text }) {
  return html`<span class="preview" dir="auto">${(text ?? '').slice(0, 200) || '\u00a0'}</span>`;
}

/** @param {{ item: Item, isInCall: boolean, isShort: boolean }} properties */
function Row({ item, isInCall, isShort }) {
  const id = idOf(item);
  // Back leads from every opened item to the list.
  const onClick = (/** @type {MouseEvent} */ event) => {
    if (state.view.id === '' || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show({ id }, 'replaceState');
  };
  return html`<li class=${isInCall ? 'in-call' : ''}>
    <a class="row" href=${addressOf({ ...state.view, id })} aria-current=${String(id === shownId())} onClick=${onClick}>
      <b class="who"><${Own} text=${nameOf(item)} /></b>
      <span><${Pill} item=${item} /> ${'isread' in item && html`<small class="soft">to <${Own} text=${item.receptor} /></small>`}</span>
      ${!isInCall && html`<${Time} date=${item.date} />`}
      ${'method' in item ? html`<${Summary} request=${item} />` : !isShort && html`<${Preview} text=${item.message} />`}
    </a>
  </li>`;
}

/** @param {{ request: RequestJson }} properties */
function Summary({ request }) {
  const reason = reasonOf(request);
  const parts = valuesOf(request).map((value) => html`<${Own} text=${value} />`);
  if (reason !== '') parts.unshift(html`<span class="bad"><${Own} text=${reason} /></span>`);
  return html`<span class="preview">${parts.map((part, index) => [index > 0 && ' · ', part])}</span>`;
}
