// @ts-check
/** @import { Row } from './records' */
import { attempt } from './acts.mjs';
import { Chips } from './chips.mjs';
import { html } from './htm.mjs';
import { isScrolled, loadMore, loadSoon } from './load.mjs';
import { count } from './parts.mjs';
import { hintOf, withField } from './query.mjs';
import { Line } from './rows.mjs';
import { set, state } from './state.mjs';
import { dateOf, dayOf } from './times.mjs';
import { addressOf, idOf, isFiltered, queryOf, show, shownId, statusWords } from './view.mjs';

// The list: calls that have sent messages, conversations or requests, newest first, with what filters them.

const WORDS = {
  sent: { search: 'Search, or to: text: status:', nothing: 'Nothing was sent yet.' },
  received: { search: 'Search, or from: text: after:', nothing: 'Nothing was received yet.' },
  requests: { search: 'Search, or to: status:', nothing: 'No request came yet.' },
};

export function List() {
  const { view, rows, overview, seen } = state;
  const { nothing } = WORDS[view.list];
  const onScroll = (/** @type {{ currentTarget: HTMLElement }} */ { currentTarget: list }) => {
    if (list.scrollTop === 0) loadSoon();
    if (list.scrollTop + 2 * list.clientHeight > list.scrollHeight) loadMore();
  };
  const onFocus = (/** @type {{ target: HTMLElement }} */ { target }) => {
    const { id } = target.dataset;
    if (id !== undefined && id !== state.cursor) set({ cursor: id });
  };
  const toTop = () => {
    document.getElementById('list')?.scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (document.querySelector('#list .row'))?.focus();
  };
  const news = view.list === 'sent' && isScrolled() ? overview.messages - seen : 0;
  // A list with another key begins at its top.
  return html`<section id="list-pane" aria-label="List">
    <${Search} />
    ${view.list !== 'received' && html`<${Chips} />`}
    <${Found} />
    <ol id="list" key=${addressOf({ ...view, id: '' })} class=${view.list} onScroll=${onScroll} onKeyDown=${onKey} onfocusin=${onFocus}>
      ${news > 0 && html`<li class="news"><button type="button" onClick=${toTop}>${count(news, 'new message')}</button></li>`}
      ${rows && rowsOf(rows)}
      ${rows?.length === 0 && html`<${Nothing} words=${isFiltered() ? '' : nothing} />`}
    </ol>
  </section>`;
}

function Search() {
  const { list, search } = state.view;
  const onInput = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    show({ search: currentTarget.value }, 'replaceState');
  return html`<div class="filters">
    <input id="search" type="search" aria-label="Search" aria-keyshortcuts="/" aria-describedby="hint" placeholder=${WORDS[list].search}
      value=${search} onInput=${onInput} dir="auto" autocomplete="off" spellcheck=${false} />
    <p id="hint" class="quiet" role="status">${queryOf().problem || hintOf(list, search, statusWords(list))}</p>
  </div>`;
}

/**
 * The list is one tab stop: arrows and j and k move in it, and unfold a call.
 *
 * @param {KeyboardEvent & { currentTarget: HTMLElement }} event
 */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const all = /** @type {HTMLElement[]} */ ([...event.currentTarget.querySelectorAll('.row, .stop')]);
  const active = /** @type {HTMLElement} */ (document.activeElement);
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step !== undefined) all[all.indexOf(active) + step]?.focus();
  else if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
  else {
    const fold = active.parentElement?.querySelector(':scope > .fold');
    const isOpen = fold?.getAttribute('aria-expanded') === 'true';
    if (fold instanceof HTMLElement && isOpen === (event.key === 'ArrowLeft')) fold.click();
  }
  event.preventDefault();
}

/** @param {{ words: string }} properties */
function Nothing({ words }) {
  if (words !== '') return html`<li class="nothing quiet">${words}</li>`;
  const clear = () => {
    show({ search: '' });
    document.getElementById('search')?.focus();
  };
  return html`<li class="nothing quiet">Nothing matches. <button type="button" onClick=${clear}>Clear the search</button></li>`;
}

/** What can be done with the messages that are found. */
function Found() {
  const { view, found } = state;
  const { parameters, status, problem } = queryOf();
  const number = status === '' ? found.total : (found.chips[status] ?? 0);
  if (view.list !== 'sent' || !isFiltered() || problem !== '' || number === 0) return null;
  const given = Object.entries({ ...parameters, status }).filter(([, value]) => value !== '');
  if (given.length === 0) return null;
  const words = (/** @type {{ removed: number }} */ { removed }) =>
    `${count(removed, 'message')} ${removed === 1 ? 'was' : 'were'} deleted: those that the search “${view.search}” found.`;
  const remove = () => attempt(words, `/sandbox/messages?${new URLSearchParams(given)}`, 'DELETE');
  return html`<p class="found"><button type="button" class="danger" onClick=${remove}>Delete ${count(number, 'message')}</button></p>`;
}

/** The rows with a heading for each day, which shows this day alone. @param {Row[]} rows */
function rowsOf(rows) {
  const { view } = state;
  const stop = stopOf(rows);
  let day = '';
  return rows.flatMap((row) => {
    const last = day;
    const date = 'line' in row ? row.last.date : row.date;
    day = dayOf(date) || day;
    const search = withField(withField(view.search, 'after', dateOf(date)), 'before', dateOf(date, 1));
    return [
      day !== last &&
        html`<li class="day" key=${`day ${idOf(row)}`}><h2><a class="stop" tabindex="-1" href=${addressOf({ ...view, id: '', search })} title="Show this day only">${day}</a></h2></li>`,
      html`<${Line} key=${idOf(row)} row=${row} stop=${stop} />`,
    ];
  });
}

/** The id of the row at which the keyboard enters the list. @param {Row[]} rows */
function stopOf(rows) {
  const inner = Object.values(state.unfolded).flatMap(({ messages }) => messages.map(({ messageid }) => messageid));
  const ids = [...rows.map(idOf), ...inner];
  return [state.cursor, shownId()].find((id) => ids.includes(id)) ?? ids[0];
}
