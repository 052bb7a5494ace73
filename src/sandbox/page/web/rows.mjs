// @ts-check
/** @import { CallJson, ConversationJson, Fields, RequestJson, Row, SentJson } from './records' */
import { html } from './htm.mjs';
import { unfold } from './load.mjs';
import { CallPill, count, itemsOf, marked, Pill, Share, StatusPill, toneOfRequest, UserText } from './parts.mjs';
import { state } from './state.mjs';
import { Time } from './times.mjs';
import { addressOf, idOf, isOne, show, shownId } from './view.mjs';

// The rows of the lists. Each is a link to its item.

/** The number of messages of a call that are shown when it is unfolded. */
const UNFOLDED = 5;

/**
 * @param {{ row: Row, stop: string | undefined }} properties `stop` is the id of the row at which the keyboard
 * enters
 */
export function Line({ row, stop }) {
  if ('line' in row) return html`<li><${Conversation} row=${row} stop=${stop} /></li>`;
  if ('method' in row) return html`<li><${Request} row=${row} stop=${stop} /></li>`;
  return html`<li>${isOne(row) ? html`<${Message} call=${row} stop=${stop} />` : html`<${Call} call=${row} stop=${stop} />`}</li>`;
}

/**
 * A row that opens an item.
 *
 * @param {{ id: string, stop: string | undefined, kind?: string, children?: unknown }} properties
 */
function Open({ id, stop, kind = '', children }) {
  // Back leads from every opened item to the list.
  const onClick = (/** @type {MouseEvent} */ event) => {
    if (state.view.id === '' || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show({ id }, 'replaceState');
  };
  return html`<a class=${`row ${kind}`} href=${addressOf({ ...state.view, id })} aria-current=${String(id === shownId())}
    data-id=${id} tabindex=${id === stop ? 0 : -1} onClick=${onClick}>${children}</a>`;
}

/**
 * A text shows its beginning, however long it is.
 *
 * @param {{ text: string | null | undefined }} properties
 */
function Preview({ text }) {
  return html`<span class="preview" dir="auto">${marked((text ?? '').slice(0, 200) || '\u00a0', 'text')}</span>`;
}

/**
 * The only message of a call, or the only one that is found.
 *
 * @param {{ call: CallJson, stop: string | undefined }} properties
 */
function Message({ call: { messages, first }, stop }) {
  const { messageid, receptor, date, message } = first;
  return html`<${Open} id=${messageid} stop=${stop}>
    <b class="who"><${UserText} text=${receptor} field="to" />${messages > 1 && html` <span class="quiet">of ${messages.toLocaleString()}</span>`}</b>
    <${Time} date=${date} /><${StatusPill} message=${first} /><${Preview} text=${message} />
  <//>`;
}

/** @param {{ call: CallJson, stop: string | undefined }} properties */
function Call({ call, stop }) {
  const { id, messages, found, statuses, date, first } = call;
  const unfolded = state.unfolded[id];
  // The states are those of the whole call, and say nothing of a part that was found.
  const isWhole = found === messages;
  const what = isWhole ? count(messages, 'message') : `${found.toLocaleString()} of ${count(messages, 'message')}`;
  const left = unfolded ? found - unfolded.messages.length : 0;
  return html`<${Open} id=${`call-${id}`} stop=${stop} kind="call">
      <b class="who">${what}</b><${Time} date=${date} />${isWhole && html`<${CallPill} statuses=${statuses} />`}
      <${Preview} text=${first.message} />
      ${isWhole && html`<${Share} statuses=${statuses} />`}
    <//>
    <button type="button" class="fold" tabindex="-1" aria-expanded=${unfolded !== undefined} aria-label=${`${unfolded ? 'Fold' : 'Unfold'} ${what}`}
      onClick=${() => unfold(id, unfolded ? 0 : UNFOLDED)}>${unfolded ? '▾' : '▸'}</button>
    ${
      unfolded &&
      html`<ol class="inner-list">
        ${unfolded.messages.map((message) => html`<${Inner} key=${message.messageid} message=${message} stop=${stop} />`)}
        ${left > 0 && html`<li><button type="button" class="stop" tabindex="-1" onClick=${() => unfold(id, unfolded.limit * 10)}>Show ${Math.min(left, unfolded.limit * 9).toLocaleString()} more</button></li>`}
      </ol>`
    }`;
}

/** A message of an unfolded call. @param {{ message: SentJson, stop: string | undefined }} properties */
function Inner({ message, stop }) {
  const { messageid, receptor } = message;
  return html`<li><${Open} id=${messageid} stop=${stop} kind="inner">
    <span class="who"><${UserText} text=${receptor} field="to" /></span><${StatusPill} message=${message} />
  <//></li>`;
}

/** @param {{ row: ConversationJson, stop: string | undefined }} properties */
function Conversation({ row, stop }) {
  const { line, number, unread, last } = row;
  return html`<${Open} id=${idOf(row)} stop=${stop}>
    <b class="who"><${UserText} text=${number} field="from" /></b>
    <span class="when quiet"><${Time} date=${last.date} />, line <${UserText} text=${line} field="to" /></span>
    ${unread > 0 && html`<${Pill} tone="unread" text=${`${unread.toLocaleString()} unread`} />`}
    <${Preview} text=${last.message} />
  <//>`;
}

/** @param {{ row: RequestJson, stop: string | undefined }} properties */
function Request({ row, stop }) {
  const { id, operation, method, url, date, reply, summary = 'under way' } = row;
  const outcome = reply ? `faked ${summary.replace(/^(?:status|HTTP) |(?<=^fault) .*/, '')}` : summary;
  return html`<${Open} id=${id} stop=${stop}>
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
