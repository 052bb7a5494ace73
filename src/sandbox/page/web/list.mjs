// @ts-check
/** @import { Item, ListName, SentJson, ServiceJson, Shown, State, View } from './records' */
import { describeRequest, reasonOf } from './exchange.mjs';
import { html, useLayoutEffect, useMemo, useRef } from './htm.mjs';
import { Chip, count, dayOf, isGood, nameOf, Own, State as StatePill, Time, toneOf } from './parts.mjs';
import { before, idOf, open, set, show, state } from './state.mjs';

// The list: sent messages, received messages or requests, newest first, with what filters them.

/** @type {Record<ListName, { placeholder: string, nothing: string }>} */
const TEXTS = {
  sent: { placeholder: 'Search id, sender, receptor, text', nothing: '' },
  received: {
    placeholder: 'Search id, sender, line, text',
    nothing: 'Nothing was received yet. “Receive a message” adds a message, as if a phone had sent it.',
  },
  requests: { placeholder: 'Search any part of a request', nothing: 'The sandbox received no request yet.' },
};

/** @param {State} properties */
export function List({ view, shown, service, now }) {
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  const { list, search, status, newer } = view;
  useLayoutEffect(() => pane.current?.scrollTo(0, 0), [list, search, status, newer.length]);
  const showNewest = () => {
    pane.current?.scrollTo(0, 0);
    show({ before: null, newer: [] });
  };
  return html`<section id="list-pane" aria-label="List" ref=${pane} onScroll=${hold}>
    <div class="filters">
      <${Search} view=${view} />
      ${list === 'sent' && shown && html`<${Chips} view=${view} shown=${shown} service=${service} />`}
      ${shown && html`<${Found} view=${view} shown=${shown} />`}
    </div>
    ${view.before !== null && html`<button type="button" class="newest" onClick=${showNewest}>↑ Newest</button>`}
    <ol id="list">${shown && rowsOf(shown, now)}</ol>
    ${shown?.items.length === 0 && html`<p class="nothing">${isFiltered(view) ? 'Nothing matches.' : TEXTS[list].nothing}</p>`}
    ${shown && (newer.length > 0 || shown.next !== null) && html`<${Pages} view=${view} next=${shown.next} />`}
  </section>`;
}

/** @param {View} view */
function isFiltered({ search, status }) {
  return search !== '' || status !== null;
}

/** @param {{ view: View }} properties */
function Search({ view }) {
  const onInput = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    show({ search: currentTarget.value, before: null, newer: [] });
  const { placeholder } = TEXTS[view.list];
  return html`<label class="search">
    <span class="hidden">Search</span>
    <input id="search" type="search" placeholder=${placeholder} value=${view.search} onInput=${onInput}
      dir="auto" autocomplete="off" spellcheck=${false} />
    <kbd aria-hidden="true">/</kbd>
  </label>`;
}

/**
 * A chip for each status that a message has.
 *
 * @param {{ view: View, shown: Shown, service: ServiceJson | null }} properties
 */
function Chips({ view, shown, service }) {
  const { statuses, messages } = shown.overview;
  const texts = new Map(service?.statuses);
  const chip = (/** @type {string | null} */ status, /** @type {string} */ text, /** @type {number} */ number) =>
    html`<${Chip} key=${status} tone=${status === null ? '' : toneOf(status)} isChosen=${view.status === status} onClick=${() => show({ status, before: null, newer: [] })}>
      ${text} <b>${number.toLocaleString()}</b>
    <//>`;
  const chosen = view.status !== null && !(view.status in statuses) ? { [view.status]: 0 } : {};
  return html`<div class="chips" role="group" aria-label="Statuses">
    ${chip(null, 'all', messages)}
    ${Object.entries({ ...statuses, ...chosen }).map(([status, number]) => chip(status, texts.get(Number(status)) ?? `status ${status}`, number))}
  </div>`;
}

/** @param {{ view: View, shown: Shown }} properties */
function Found({ view, shown }) {
  if (!isFiltered(view) || shown.items.length === 0) return null;
  const number = shown.items.length.toLocaleString();
  return html`<p class="bar soft">${shown.next === null && view.before === null ? number : `${number} or more`} found
    ${
      view.list === 'sent' &&
      html`<button type="button" class="small risky" onClick=${() => set({ dialog: 'remove' })}>
        Delete what was found
      </button>`
    }
  </p>`;
}

/** @param {{ view: View, next: string | null }} properties */
function Pages({ view, next }) {
  const { newer } = view;
  return html`<div class="bar pages">
    ${
      newer.length > 0 &&
      html`<button type="button" onClick=${() => show({ before: newer.at(-1) ?? null, newer: newer.slice(0, -1) })}>
        ← Newer
      </button>`
    }
    ${
      next !== null &&
      html`<button type="button" onClick=${() => show({ before: next, newer: [...newer, view.before] })}>
        Older →
      </button>`
    }
  </div>`;
}

/** Keeps the rows in their places while the user has scrolled away from the newest one. */
function hold(/** @type {{ currentTarget: HTMLElement }} */ { currentTarget }) {
  const { view, shown } = state;
  const [newest] = shown?.list === view.list ? shown.items : [];
  if (view.newer.length > 0 || newest === undefined) return;
  const isAway = currentTarget.scrollTop > 0;
  if (isAway !== (view.before !== null)) show({ before: isAway ? before(idOf(newest)) : null });
}

/** Moves the focus to the next or the previous row. @param {KeyboardEvent} event */
export function moveFocus(event) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const rows = [...document.querySelectorAll('#list .row')];
  const index = rows.indexOf(/** @type {Element} */ (document.activeElement));
  const row = rows[index < 0 ? 0 : index + step];
  if (!(row instanceof HTMLElement)) return;
  row.focus();
  event.preventDefault();
}

/** The rows with a heading for each day and each call of several messages. @param {Shown} shown @param {number} now */
function rowsOf({ items, id }, now) {
  /** @type {unknown[]} */
  const rows = [];
  let day = '';
  for (let index = 0; index < items.length; ) {
    const [first, ...others] = sameCall(items, index);
    index += 1 + others.length;
    if (first === undefined) break;
    const heading = dayOf(first.date, now);
    if (heading !== '' && heading !== day)
      rows.push(html`<li class="day" key=${`day ${idOf(first)}`}><h2>${heading}</h2></li>`);
    if (heading !== '') day = heading;
    const call = /** @type {SentJson[]} */ (others.length > 0 ? [first, ...others] : []);
    const isSame = call.length > 0 && call.every(({ message }) => message === call[0]?.message);
    if (call.length > 0)
      rows.push(html`<${Call} key=${`call ${call[0]?.call}`} call=${call} isSame=${isSame} now=${now} />`);
    for (const item of [first, ...others]) {
      rows.push(
        html`<${Row} key=${idOf(item)} item=${item} now=${now} isOpen=${idOf(item) === id} isInCall=${call.length > 0} isShort=${isSame} />`,
      );
    }
  }
  return rows;
}

/** The items from an index on that one call sent. @param {Item[]} items @param {number} index @returns {Item[]} */
function sameCall(items, index) {
  const first = items[index];
  if (first === undefined || !('call' in first)) return items.slice(index, index + 1);
  let end = index + 1;
  for (let one = items[end]; one !== undefined && 'call' in one && one.call === first.call; one = items[end]) end += 1;
  return items.slice(index, end);
}

/**
 * The line above the messages of one call, with the text that they share.
 *
 * @param {{ call: SentJson[], isSame: boolean, now: number }} properties
 */
function Call({ call, isSame, now }) {
  const [first] = call;
  return html`<li class="call">
    <span class="soft">${count(call.length, 'message')} of one call</span><${Time} date=${first?.date} now=${now} />
    ${isSame && html`<${Preview} text=${first?.message} />`}
  </li>`;
}

/** A row shows one line, however long the text is. @param {{ text: string | null }} properties */
function Preview({ text }) {
  return html`<span class="preview" dir="auto">${(text ?? '').slice(0, 200) || '\u00a0'}</span>`;
}

/** @param {{ item: Item, now: number, isOpen: boolean, isInCall: boolean, isShort: boolean }} properties */
function Row({ item, now, isOpen, isInCall, isShort }) {
  const id = idOf(item);
  const onClick = (/** @type {MouseEvent} */ event) => {
    // The browser opens a link in a new tab by itself.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(id);
  };
  return html`<li class=${isInCall ? 'in-call' : ''}>
    <a class="row" href=${`#/${state.view.list}/${id}`} aria-current=${String(isOpen)} onClick=${onClick}>
      <span class="who"><${Own} text=${nameOf(item)} /></span>
      <${StatePill} item=${item} />
      ${'isread' in item && html`<span class="line">to <${Own} text=${item.receptor} /></span>`}
      ${'method' in item && item.soapVersion && html`<span class="line">SOAP ${item.soapVersion}</span>`}
      ${!isInCall && html`<${Time} date=${item.date} now=${now} />`}
      ${'method' in item ? html`<${Summary} request=${item} />` : !isShort && html`<${Preview} text=${item.message} />`}
    </a>
  </li>`;
}

/** @param {{ request: import('./records').RequestJson }} properties */
function Summary({ request }) {
  // Each load brings every request again.
  const values = useMemo(() => describeRequest(request), [request.id]);
  const reason = isGood(request) ? '' : reasonOf(request);
  return html`<span class="preview">
    ${reason !== '' && html`<span class="reason"><${Own} text=${reason} /></span>`}
    ${values.map((value, index) => [index > 0 || reason !== '' ? ' · ' : '', html`<${Own} text=${value} />`])}
  </span>`;
}
