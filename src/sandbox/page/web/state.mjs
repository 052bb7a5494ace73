// @ts-check
/** @import { Item, ListName, Shown, State, View } from './records' */
import { ask } from './api.mjs';

// The state of the page. An event or a user changes it; everything that is shown follows from it.

/** The number of items on a page of a list. */
const PAGE = 100;
/** The shortest pause between two loads that events cause, in milliseconds. */
const PAUSE_MS = 200;

/** The lists: the path of each, and the field of its JSON that holds the items. */
export const lists = {
  sent: { path: '/sandbox/messages', field: 'messages' },
  received: { path: '/sandbox/received', field: 'received' },
  requests: { path: '/sandbox/requests', field: 'requests' },
};

/** A wide page shows a list and an item side by side. */
export const wide = matchMedia('(min-width: 900px)');

/** @type {State} */
export const state = {
  view: readView(),
  shown: null,
  service: null,
  connection: 'connecting',
  problem: '',
  dialog: null,
  now: Date.now(),
};

/** @type {() => void} */
let draw = () => undefined;
let isDrawn = true;

/**
 * Calls `drawPage` now and soon after each change of the state.
 *
 * @param {() => void} drawPage
 */
export function startDrawing(drawPage) {
  draw = drawPage;
  draw();
}

/** @param {Partial<State>} changes */
export function set(changes) {
  Object.assign(state, changes);
  if (!isDrawn) return;
  isDrawn = false;
  queueMicrotask(() => {
    isDrawn = true;
    draw();
  });
}

/**
 * Changes what the user wants to see, and loads it.
 *
 * @param {Partial<View>} changes
 */
export function show(changes) {
  set({ view: { ...state.view, ...changes } });
  load();
}

/** Reads the address: `#/sent` names a list, `#/sent/ID` an opened item of it. @returns {View} */
function readView() {
  const [, list = 'sent', id = null] = /^#\/(sent|received|requests)(?:\/(\d{1,18}))?$/.exec(location.hash) ?? [];
  return { list: /** @type {ListName} */ (list), id, search: '', status: null, before: null, newer: [] };
}

/** Shows what the address names. */
export function followAddress() {
  const { list, id } = readView();
  show(list === state.view.list ? { id } : readView());
}

/**
 * Opens an item, or closes it. The Back of the browser closes it too.
 *
 * @param {string | null} id
 */
export function open(id) {
  const { view } = state;
  if (id === null && history.state?.isOpened) {
    history.back();
    return;
  }
  if (id === null) history.replaceState(null, '', `#/${view.list}`);
  // One step back closes the item, however many were opened one after the other.
  else if (view.id === null) history.pushState({ isOpened: true }, '', `#/${view.list}/${id}`);
  else history.replaceState(history.state, '', `#/${view.list}/${id}`);
  followAddress();
}

/** @param {Item} item */
export function idOf(item) {
  return 'messageid' in item ? item.messageid : item.id;
}

/** The id before which a page begins with this item. @param {string} id */
export function before(id) {
  return String(BigInt(id) + 1n);
}

let isLoading = false;
let isWanted = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;

/** Loads everything that is shown, soon: many events cause few loads. */
export function loadSoon() {
  if (isLoading || pause !== undefined) isWanted = true;
  else load();
}

/** Loads everything that is shown. */
export async function load() {
  isWanted = true;
  if (isLoading) return;
  isLoading = true;
  clearTimeout(pause);
  const start = performance.now();
  try {
    // The user may choose something else during a load.
    for (let view = null; view !== state.view; ) {
      view = state.view;
      isWanted = false;
      const shown = await loadView(view);
      if (view === state.view) set({ shown });
    }
  } catch (error) {
    showProblem(error);
  }
  isLoading = false;
  // A load that takes long is not repeated at once.
  pause = setTimeout(
    () => {
      pause = undefined;
      if (isWanted) load();
    },
    PAUSE_MS + 2 * (performance.now() - start),
  );
}

/** @param {View} view @returns {Promise<Shown | null>} null when the view is no longer wanted */
async function loadView(view) {
  const overview = await ask('/sandbox');
  const known = state.shown;
  if (known !== null && known.overview.started !== overview.started) {
    // Ids begin again: what is shown may have the id of something else.
    history.replaceState(null, '', `#/${view.list}`);
    set({ shown: null, view: readView(), dialog: null });
    return null;
  }
  const [page, { replies }, delivery] = await Promise.all([
    ask(pathOf(view, { limit: String(PAGE), ...(view.before !== null && { before: view.before }) })),
    ask('/sandbox/replies'),
    ask('/sandbox/delivery'),
  ]);
  const { list } = view;
  /** @type {Item[]} */
  const items = page[lists[list].field];
  const [newest] = items;
  const id = view.id ?? (wide.matches && newest !== undefined ? idOf(newest) : null);
  const item = items.find((one) => idOf(one) === id) ?? (id === null ? null : await loadItem(list, id));
  const details = item === null || list !== 'sent' ? null : await loadDetails(idOf(item));
  return { list, overview, items, next: page.next, id, item, details, replies, delivery };
}

/** The path of what a search and a filter find. @param {View} view @param {Record<string, string>} [parameters] */
export function pathOf({ list, search, status }, parameters = {}) {
  const found = { ...(search !== '' && { search }), ...(status !== null && { status }) };
  return `${lists[list].path}?${new URLSearchParams({ ...found, ...parameters })}`;
}

/** Loads an item that the page of the list does not hold. @param {ListName} list @param {string} id */
async function loadItem(list, id) {
  const page = await ask(`${lists[list].path}?limit=1&before=${before(id)}`);
  /** @type {Item | undefined} */
  const item = page[lists[list].field][0];
  return item !== undefined && idOf(item) === id ? item : null;
}

/** Loads what the record of a sent message does not say, once its call has its response. @param {string} id */
function loadDetails(id) {
  const known = state.shown?.details;
  return known?.messageid === id && known.request?.response !== null ? known : ask(`/sandbox/messages/${id}`);
}

/** Shows for a while why something failed. @param {unknown} error */
export function showProblem(error) {
  const problem = /** @type {Error} */ (error).message;
  set({ problem });
  setTimeout(() => {
    if (state.problem === problem) set({ problem: '' });
  }, 10_000);
}
