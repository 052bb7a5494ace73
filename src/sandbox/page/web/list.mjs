// @ts-check
/** @import { Item, ListName, RequestJson, ServiceJson, Shown, State, View } from './records' */
import { describeRequest, reasonOf } from './exchange.mjs';
import { html, useLayoutEffect, useMemo, useRef } from './htm.mjs';
import { Chip, count, dayOf, nameOf, Own, State as Pill, Time, toneOf } from './parts.mjs';
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

/** Begins a list with its newest item. */
const NEWEST = { before: null, isHeld: false };

/** @param {State} properties */
export function List({ view, shown, service, now }) {
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  const { list, search, status } = view;
  const isFiltered = search !== '' || status !== null;
  useLayoutEffect(() => {
    if (!view.isHeld) pane.current?.scrollTo(0, 0);
  }, [list, search, status, view.before]);
  return html`<section id="list-pane" aria-label="List" ref=${pane} onScroll=${hold}>
    <div class="filters">
      <${Search} view=${view} />
      ${list === 'sent' && shown && html`<${Chips} view=${view} shown=${shown} service=${service} />`}
      ${isFiltered && shown && shown.items.length > 0 && html`<${Found} view=${view} shown=${shown} />`}
    </div>
    <ol id="list">${shown && rowsOf(shown.items, view.id ?? shown.id, now)}</ol>
    ${shown?.items.length === 0 && html`<p class="nothing soft">${isFiltered ? 'Nothing matches.' : TEXTS[list].nothing}</p>`}
    ${shown && (view.before !== null || shown.next !== null) && html`<${Pages} view=${view} next=${shown.next} />`}
  </section>`;
}

/** @param {{ view: View }} properties */
function Search({ view }) {
  const onInput = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    show({ search: currentTarget.value, ...NEWEST });
  const { placeholder } = TEXTS[view.list];
  return html`<input id="search" type="search" aria-label="Search" aria-keyshortcuts="/" placeholder=${placeholder} value=${view.search}
    onInput=${onInput} dir="auto" autocomplete="off" spellcheck=${false} />`;
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
    html`<${Chip} key=${status} tone=${status === null ? '' : toneOf(status)} isChosen=${view.status === status} onClick=${() => show({ status, ...NEWEST })}>
      ${text} <b>${number.toLocaleString()}</b>
    <//>`;
  // The chip that filters stays when no message has its status any more.
  const chosen = view.status === null ? {} : { [view.status]: 0 };
  return html`<div class="bar" role="group" aria-label="Statuses">
    ${chip(null, 'all', messages)}
    ${Object.entries({ ...chosen, ...statuses }).map(([status, number]) => chip(status, texts.get(Number(status)) ?? `status ${status}`, number))}
  </div>`;
}

/** @param {{ view: View, shown: Shown }} properties */
function Found({ view, shown }) {
  const number = shown.items.length.toLocaleString();
  const remove = () => set({ dialog: 'remove' });
  return html`<p class="bar soft">
    ${shown.next === null && view.before === null ? number : `${number} or more`} found
    ${view.list === 'sent' && html`<button type="button" class="chip" onClick=${remove}>Delete what was found</button>`}
  </p>`;
}

/** @param {{ view: View, next: string | null }} properties */
function Pages({ view, next }) {
  const older = () => show({ before: next, isHeld: false }, 'pushState');
  return html`<p class="bar pages">
    <button type="button" hidden=${view.before === null} onClick=${() => show(NEWEST)}>↑ Newest</button>
    <button type="button" hidden=${next === null} onClick=${older}>Older →</button>
  </p>`;
}

/** Keeps the rows in their places while the user has scrolled away from the newest one. */
function hold(/** @type {{ currentTarget: HTMLElement }} */ { currentTarget }) {
  const { view, shown } = state;
  const [newest] = shown?.list === view.list ? shown.items : [];
  const isAway = currentTarget.scrollTop > 0;
  if (!isAway && view.isHeld) show(NEWEST);
  else if (isAway && view.before === null && newest) show({ before: before(idOf(newest)), isHeld: true });
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

/**
 * The rows with a heading for each day and each call of several messages.
 *
 * @param {Item[]} items
 * @param {string | null} id the opened item
 * @param {number} now
 */
function rowsOf(items, id, now) {
  let day = '';
  const calls = Map.groupBy(items, (item) => ('call' in item ? item.call : idOf(item)));
  return [...calls].flatMap(([key, call]) => {
    const [first] = /** @type {[Item]} */ (call);
    const last = day;
    day = dayOf(first.date, now) || day;
    const isInCall = call.length > 1;
    const isSame = isInCall && call.every((item) => textOf(item) === textOf(first));
    return [
      day !== last && html`<li class="day" key=${`day ${key}`}><h2 class="soft">${day}</h2></li>`,
      isInCall && html`<${Call} key=${`call ${key}`} call=${call} isSame=${isSame} now=${now} />`,
      ...call.map(
        (item) =>
          html`<${Row} key=${idOf(item)} item=${item} now=${now} isOpen=${idOf(item) === id} isInCall=${isInCall} isShort=${isSame} />`,
      ),
    ];
  });
}

/** @param {Item} item */
function textOf(item) {
  return 'message' in item ? item.message : null;
}

/**
 * The line above the messages of one call, with the text that they share.
 *
 * @param {{ call: Item[], isSame: boolean, now: number }} properties
 */
function Call({ call, isSame, now }) {
  const [first] = /** @type {[Item]} */ (call);
  return html`<li class="call">
    <span class="soft">${count(call.length, 'message')} of one call</span><${Time} date=${first.date} now=${now} />
    ${isSame && html`<${Preview} text=${textOf(first)} />`}
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
      <span><${Pill} item=${item} /> ${'isread' in item && html`<small class="soft">to <${Own} text=${item.receptor} /></small>`}</span>
      ${!isInCall && html`<${Time} date=${item.date} now=${now} />`}
      ${'method' in item ? html`<${Summary} request=${item} />` : !isShort && html`<${Preview} text=${item.message} />`}
    </a>
  </li>`;
}

/** @param {{ request: RequestJson }} properties */
function Summary({ request }) {
  // Each load brings every request again.
  const values = useMemo(() => describeRequest(request), [request.id]);
  const reason = reasonOf(request);
  return html`<span class="preview">
    ${reason !== '' && html`<span class="bad"><${Own} text=${reason} /></span>`}
    ${values.map((value, index) => [index > 0 || reason !== '' ? ' · ' : '', html`<${Own} text=${value} />`])}
  </span>`;
}
