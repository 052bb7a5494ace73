// @ts-check
/** @import { Query, Values } from './query.mjs' */
/** @import { CallJson, Item, Row } from './records' */
import { readQuery } from './query.mjs';
import { PAGE, page, set, state, TALK_PAGE, wide } from './state.mjs';

// What the user chose to see. The address holds it: `#/sent/ID?search=code`.

/** @typedef {{ list: 'sent' | 'received' | 'requests', id: string, search: string }} View an empty text is no choice */

/** The words for the results of requests. @type {Values} */
export const RESULTS = {
  done: 'done',
  refused: 'refused',
  fault: 'with a fault',
  http: 'with an HTTP error',
  dropped: 'dropped',
};

/** Reads the address. The id of a call is `call-ID`, that of a conversation `LINE/NUMBER`, with each part encoded. */
function readView() {
  const address = /^#\/(sent|received|requests)(?:\/([^?]+))?(?:\?(.*))?$/.exec(location.hash);
  const [, list = 'sent', id = '', query = ''] = address ?? [];
  const search = new URLSearchParams(query).get('search') ?? '';
  return { list: /** @type {View['list']} */ (list), id, search };
}

/** @param {View} view */
export function addressOf({ list, id, search }) {
  return `#/${list}${id && `/${id}`}${search && `?${new URLSearchParams({ search })}`}`;
}

state.view = readView();
addEventListener('popstate', followAddress);
wide.addEventListener('change', () => page.load());

/** Shows what the address names. */
function followAddress() {
  const view = readView();
  const { list, id, search } = state.view;
  const isOther = view.list !== list;
  set({
    view,
    ...(view.id !== id && { talkLimit: TALK_PAGE }),
    ...((isOther || view.search !== search) && { limit: PAGE, cursor: '' }),
    ...(view.id !== '' && { cursor: view.id }),
    ...(isOther && { rows: null, item: undefined, unfolded: {} }),
  });
  page.load();
}

/** Changes the view and its address. @param {Partial<View>} changes @param {'pushState' | 'replaceState'} [step] */
export function show(changes, step = 'pushState') {
  history[step](null, '', addressOf({ ...state.view, ...changes }));
  followAddress();
}

/** The values of the status in the control interface by the words for them in a list. @param {View['list']} list */
export function statusWords(list) {
  if (list === 'requests') return Object.fromEntries(Object.keys(RESULTS).map((result) => [result, result]));
  return Object.fromEntries(state.service.statuses.map(([status, text]) => [text, String(status)]));
}

/** What the search asks for. @param {View} view @returns {Query} */
export function queryOf({ list, search } = state.view) {
  return readQuery(list, search, statusWords(list));
}

/** True when the rows are only those that match. */
export function isFiltered() {
  return state.view.search.trim() !== '';
}

/** The id of a row, or of an opened item, in the address. @param {Row | Item} one */
export function idOf(one) {
  if ('line' in one) return [one.line, one.number].map((part) => encodeURIComponent(part.toWellFormed())).join('/');
  if ('method' in one) return one.id;
  if ('details' in one) return `call-${one.call.id}`;
  if ('messageid' in one) return one.messageid;
  return isOne(one) ? one.first.messageid : `call-${one.id}`;
}

/** True for a call of which one message is found. It is shown as a message. @param {CallJson} call */
export function isOne({ found }) {
  return found === 1;
}

/** The id of the opened item, or else of the newest one on a wide page; empty for none. */
export function shownId({ view, rows } = state) {
  const [newest] = rows ?? [];
  return view.id || (wide.matches && newest ? idOf(newest) : '');
}
