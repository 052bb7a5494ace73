// @ts-check
/** @import { CallJson, ConversationJson, Fields, RequestJson, Row, SentJson } from './records' */
import { RemoveFound } from './forms.mjs';
import { html } from './htm.mjs';
import {
  count,
  dayOf,
  itemsOf,
  marked,
  Pill,
  ranked,
  StatusPill,
  Time,
  textOfStatus,
  toneOfRequest,
  UserText,
} from './parts.mjs';
import {
  addressOf,
  idOf,
  isFiltered,
  isOne,
  isScrolled,
  loadMore,
  loadSoon,
  set,
  show,
  shownId,
  state,
  UNFOLDED,
  unfold,
} from './state.mjs';
import { toneOf } from './tones.mjs';

// The list: calls that have sent messages, conversations or requests, newest first, with what filters them.

const WORDS = {
  sent: { search: 'Search id, sender, receptor, text', nothing: 'Nothing was sent yet.' },
  received: { search: 'Search id, number, line, text', nothing: 'Nothing was received yet.' },
  requests: { search: 'Search any part of a request', nothing: 'No request came yet.' },
};

export function List() {
  const { view, rows, overview, seen } = state;
  const { search, nothing } = WORDS[view.list];
  const onInput = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    show({ search: currentTarget.value }, 'replaceState');
  const onScroll = (/** @type {{ currentTarget: HTMLElement }} */ { currentTarget: list }) => {
    if (list.scrollTop === 0) loadSoon();
    if (list.scrollTop + 2 * list.clientHeight > list.scrollHeight) loadMore();
  };
  const toTop = () => document.getElementById('list')?.scrollTo(0, 0);
  const news = view.list === 'sent' && isScrolled() ? overview.messages - seen : 0;
  // A list with another key begins at its top.
  return html`<section id="list-pane" aria-label="List">
    <div class="filters">
      <input id="search" type="search" aria-label="Search" aria-keyshortcuts="/" placeholder=${search} value=${view.search}
        onInput=${onInput} dir="auto" autocomplete="off" spellcheck=${false} />
    </div>
    ${view.list !== 'received' && html`<${Chips} />`}
    <ol id="list" key=${addressOf({ ...view, id: '' })} onScroll=${onScroll} onKeyDown=${onKey} class=${view.list}>
      ${news > 0 && html`<li class="news"><button type="button" onClick=${toTop}>${count(news, 'new message')}</button></li>`}
      ${rows && rowsOf(rows)}
      ${rows?.length === 0 && html`<${Nothing} words=${isFiltered(view) ? '' : nothing} />`}
    </ol>
  </section>`;
}

/**
 * The list is one tab stop: arrows and j and k move in it.
 *
 * @param {KeyboardEvent & { currentTarget: HTMLElement }} event
 */
function onKey(event) {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const all = /** @type {HTMLElement[]} */ ([...event.currentTarget.querySelectorAll('.row')]);
  all[all.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step]?.focus();
}

/** @param {{ words: string }} properties */
function Nothing({ words }) {
  if (words !== '') return html`<li class="nothing quiet">${words}</li>`;
  const clear = () => show({ search: '', chip: '' });
  return html`<li class="nothing quiet">Nothing matches. <button type="button" class="link" onClick=${clear}>Clear the search</button></li>`;
}

/** A chip for each state that is found, bad ones first, in one row. */
function Chips() {
  const { view, found } = state;
  /** @type {Record<string, number>} */
  const chips = found.chips;
  const isSent = view.list === 'sent';
  // The chip that filters stays when nothing has its state any more.
  /** @type {Record<string, number>} */
  const counts = { ...(view.chip && { [view.chip]: 0 }), ...chips };
  const entries = isSent
    ? ranked(counts)
    : Object.entries(counts).sort(([one], [other]) => Number(one === 'done') - Number(other === 'done'));
  const chip = (/** @type {string} */ value, /** @type {unknown} */ text, /** @type {boolean} */ isBad) =>
    html`<button type="button" key=${value} class=${isBad ? 'chip bad' : 'chip'} aria-pressed=${view.chip === value}
      onClick=${() => show({ chip: value })}>${text}</button>`;
  const number = (/** @type {number} */ one) => one.toLocaleString();
  const shown = view.chip === '' ? found.total : (chips[view.chip] ?? 0);
  return html`<div class="chips" role="group" aria-label=${isSent ? 'Statuses' : 'Results'}>
    ${chip('', `${number(found.total)} ${view.search === '' ? (isSent ? 'messages' : 'requests') : 'found'}`, false)}
    ${entries.map(([value, one]) =>
      isSent
        ? chip(value, html`<b>${number(one)}</b> ${textOfStatus(value)}`, toneOf(value) === 'bad')
        : chip(value, html`<b>${number(one)}</b> ${RESULTS[value]}`, value !== 'done'),
    )}
    ${isSent && isFiltered(view) && shown > 0 && html`<button type="button" class="chip" onClick=${() => set({ dialog: RemoveFound })}>Delete what was found</button>`}
  </div>`;
}

/** The words of the results of requests. @type {Record<string, string>} */
const RESULTS = { done: 'done', refused: 'refused', fault: 'with a fault', http: 'HTTP errors', dropped: 'dropped' };

/** The rows with a heading for each day. @param {Row[]} rows */
function rowsOf(rows) {
  let day = '';
  return rows.flatMap((row) => {
    const last = day;
    day = dayOf('line' in row ? row.last.date : row.date) || day;
    return [
      day !== last && html`<li class="day" key=${`day ${idOf(row)}`}><h2>${day}</h2></li>`,
      html`<${Line} key=${idOf(row)} row=${row} />`,
    ];
  });
}

/** @param {{ row: Row }} properties */
function Line({ row }) {
  if ('line' in row) return html`<li><${Conversation} row=${row} /></li>`;
  if ('method' in row) return html`<li><${Request} row=${row} /></li>`;
  return html`<li>${isOne(row) ? html`<${Message} message=${row.first} />` : html`<${Call} call=${row} />`}</li>`;
}

/** A row that opens an item. @param {{ id: string, isInner?: boolean, children?: unknown }} properties */
function Open({ id, isInner = false, children }) {
  // Back leads from every opened item to the list.
  const onClick = (/** @type {MouseEvent} */ event) => {
    if (state.view.id === '' || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show({ id }, 'replaceState');
  };
  const isShown = id === shownId();
  return html`<a class=${isInner ? 'row inner' : 'row'} href=${addressOf({ ...state.view, id })} aria-current=${String(isShown)}
    tabindex=${isShown || shownId() === '' ? 0 : -1} onClick=${onClick}>${children}</a>`;
}

/**
 * A text shows its beginning in one line, however long it is.
 *
 * @param {{ text: string | null | undefined }} properties
 */
function Preview({ text }) {
  return html`<span class="preview" dir="auto">${marked((text ?? '').slice(0, 200) || '\u00a0')}</span>`;
}

/** @param {{ message: SentJson }} properties */
function Message({ message }) {
  const { messageid, receptor, date } = message;
  return html`<${Open} id=${messageid}>
    <b class="who"><${UserText} text=${receptor} /></b><${Time} date=${date} />
    <${StatusPill} message=${message} />
    <${Preview} text=${message.message} />
  <//>`;
}

/** @param {{ call: CallJson }} properties */
function Call({ call }) {
  const { id, messages, found, statuses, date, first } = call;
  const unfolded = state.unfolded[id];
  // The states are those of the whole call, and say nothing of a part that was found.
  const isWhole = found === messages;
  const what = isWhole ? count(messages, 'message') : `${found.toLocaleString()} of ${count(messages, 'message')}`;
  const toggle = () => unfold(id, unfolded ? 0 : UNFOLDED);
  const left = unfolded ? found - unfolded.messages.length : 0;
  return html`<${Open} id=${`call-${id}`}>
      <b class="who">${what}</b><${Time} date=${date} />${isWhole && html`<${CallPill} statuses=${statuses} />`}
      <${Preview} text=${first.message} />
      ${isWhole && html`<${Share} statuses=${statuses} />`}
    <//>
    <button type="button" class="fold" aria-expanded=${unfolded !== undefined} aria-label=${`${unfolded ? 'Fold' : 'Unfold'} ${what}`}
      onClick=${toggle}>${unfolded ? '▾' : '▸'}</button>
    ${
      unfolded &&
      html`<ol class="inner-list">
        ${unfolded.messages.map(
          (message) => html`<li key=${message.messageid}><${Open} id=${message.messageid} isInner>
            <span class="who"><${UserText} text=${message.receptor} /></span><${StatusPill} message=${message} />
          <//></li>`,
        )}
        ${left > 0 && html`<li><button type="button" class="link" onClick=${() => unfold(id, unfolded.limit * 10)}>Show ${Math.min(left, unfolded.limit * 9).toLocaleString()} more</button></li>`}
      </ol>`
    }`;
}

/**
 * The state of a call: how many did not arrive, or the state that all or most have.
 *
 * @param {{ statuses: Record<string, number> }} properties
 */
export function CallPill({ statuses }) {
  const entries = ranked(statuses);
  const bad = entries.filter(([status]) => toneOf(status) === 'bad').reduce((sum, [, number]) => sum + number, 0);
  if (bad > 0) return html`<${Pill} tone="bad" text=${`${bad.toLocaleString()} not delivered`} />`;
  const [[status, number] = ['', 0]] = entries.sort(([, one], [, other]) => other - one);
  const text = entries.length > 1 ? `${number.toLocaleString()} ${textOfStatus(status)}` : textOfStatus(status);
  return html`<${Pill} tone=${toneOf(status)} text=${text} />`;
}

/** The shares of the states, bad ones first. @param {{ statuses: Record<string, number> }} properties */
export function Share({ statuses }) {
  const parts = ranked(statuses).map(([status, number]) => {
    const grow = (/** @type {HTMLElement | null} */ part) => part?.style.setProperty('flex-grow', String(number));
    return html`<i key=${status} class=${toneOf(status)} ref=${grow}></i>`;
  });
  return html`<span class="share" aria-hidden="true">${parts}</span>`;
}

/** @param {{ row: ConversationJson }} properties */
function Conversation({ row }) {
  const { line, number, unread, last } = row;
  return html`<${Open} id=${idOf(row)}>
    <b class="who"><${UserText} text=${number} /></b>
    <span class="quiet"><${Time} date=${last.date} />, line <${UserText} text=${line} /></span>
    ${unread > 0 && html`<${Pill} tone="unread" text=${`${unread.toLocaleString()} unread`} />`}
    <${Preview} text=${last.message} />
  <//>`;
}

/** @param {{ row: RequestJson }} properties */
function Request({ row }) {
  const { id, operation, method, url, date, reply, summary = 'under way' } = row;
  const outcome = reply ? `faked ${summary.replace(/^(?:status|HTTP) |(?<=^fault) .*/, '')}` : summary;
  return html`<${Open} id=${id}>
    <b class="who"><${UserText} text=${operation ?? `${method} ${url}`} /></b><${Time} date=${date} />
    <${Pill} tone=${toneOfRequest(row)} text=${outcome} isFaked=${reply !== undefined} />
    <span class="preview pairs">${distinction(row)}</span>
  <//>`;
}

/** Shows why a request failed, and the values that most requests do not have. @param {RequestJson} request */
function distinction({ reason, fields = {} }) {
  const given = Object.entries(fields).filter(([name, value]) => !isUsual(name, value));
  const ranks = ['receptor', 'message', 'sender'];
  const rankOf = (/** @type {string} */ name) => (ranks.includes(name) ? ranks.indexOf(name) : 1.5);
  given.sort(([one], [other]) => rankOf(one) - rankOf(other));
  const pairs = given.slice(0, reason ? 1 : 2).map(([name, value]) => {
    const items = itemsOf(value);
    if (items.count !== 1) return html`<span>${count(items.count, name)}</span>`;
    return html`<span>${name} <${UserText} text=${String(items.first[0]).slice(0, 100)} /></span>`;
  });
  return reason ? [html`<span class="bad-text"><${UserText} text=${reason} /></span>`, ...pairs] : pairs;
}

/**
 * True for a value that most requests have.
 *
 * @param {string} name
 * @param {Fields[string]} value
 */
function isUsual(name, value) {
  if (name === 'status' || name === 'statusmessage' || value === null || value === '') return true;
  return itemsOf(value).count === 0 || String(value) === '0';
}
