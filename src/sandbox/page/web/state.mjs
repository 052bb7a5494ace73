// @ts-check
/** @import { Item, ListName, Shown, State, View } from './records' */
import { ask } from './api.mjs';

// The state of the page. An event or a user changes it; everything that is shown follows from it.

/** The number of items on a page of a list. More would take too long to read and to draw while messages pour in. */
const PAGE = 50;
/** The shortest pause between two loads that events cause, in milliseconds. */
const PAUSE_MS = 200;

/** The names of the lists in the control interface. */
const NAMES = { sent: 'messages', received: 'received', requests: 'requests' };

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

let draw = () => {};

/** @param {() => void} drawPage draws the page; called now and after each change of the state */
export function startDrawing(drawPage) {
  draw = drawPage;
  draw();
}

/** @param {Partial<State>} changes */
export function set(changes) {
  Object.assign(state, changes);
  draw();
}

/** Reads the address, which holds the view: `#/sent/ID?search=code&status=10&before=ID`. @returns {View} */
function readView() {
  const address = /^#\/(sent|received|requests)(?:\/(\d{1,18}))?(?:\?(.*))?$/.exec(location.hash);
  const [, list = 'sent', id = null, query = ''] = address ?? [];
  const given = new URLSearchParams(query);
  const [status, before] = [given.get('status'), given.get('before')];
  return { list: /** @type {ListName} */ (list), id, search: given.get('search') ?? '', status, before, isHeld: false };
}

/** Shows what the address names. */
export function followAddress() {
  set({ view: readView() });
  load();
}

/**
 * Changes what the user sees, and the address with it.
 *
 * @param {Partial<View>} changes
 * @param {'replaceState' | 'pushState'} [step] `pushState` when the Back of the browser takes the change back
 * @param {object | null} [entry] what the history keeps with the address
 */
export function show(changes, step = 'replaceState', entry = null) {
  const view = { ...state.view, ...changes };
  history[step](entry, '', addressOf(view));
  set({ view });
  load();
}

/** @param {View} view */
function addressOf(view) {
  const query = queryOf(view);
  return `#/${view.list}${view.id === null ? '' : `/${view.id}`}${query && `?${query}`}`;
}

/** The filter and the place of a list, as the address and the control interface name them. @param {View} view */
export function queryOf({ search, status, before }) {
  const filter = { ...(search !== '' && { search }), ...(status !== null && { status }) };
  return String(new URLSearchParams({ ...filter, ...(before !== null && { before }) }));
}

/**
 * Opens an item, or closes it. The Back of the browser closes it too.
 *
 * @param {string | null} id
 */
export function open(id) {
  if (id === null && history.state?.isOpened) history.back();
  else if (id !== null && state.view.id === null) show({ id }, 'pushState', { isOpened: true });
  // One step back closes the item, however many were opened one after the other.
  else show({ id }, 'replaceState', history.state);
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
  if (pause === undefined) load();
  else isWanted = true;
}

/** Loads everything that is shown. */
export async function load() {
  isWanted = true;
  if (isLoading) return;
  isLoading = true;
  clearTimeout(pause);
  const start = performance.now();
  // The user may choose something else during a load.
  for (let view = null; view !== state.view; ) {
    view = state.view;
    isWanted = false;
    const shown = await loadView(view).catch(showProblem);
    if (shown && view === state.view) set({ shown });
  }
  isLoading = false;
  // A load that takes long is not repeated at once.
  const pauseMs = PAUSE_MS + 2 * (performance.now() - start);
  pause = setTimeout(() => {
    pause = undefined;
    if (isWanted) load();
  }, pauseMs);
}

/** @param {View} view @returns {Promise<Shown | void>} nothing when the view is no longer wanted */
async function loadView(view) {
  const overview = await ask('/sandbox');
  const { list } = view;
  if (state.shown !== null && state.shown.overview.started !== overview.started) {
    // Ids begin again: what is shown may have the id of something else.
    history.replaceState(null, '', `#/${list}`);
    set({ shown: null, view: readView(), dialog: null });
    return;
  }
  const [page, { replies }, delivery] = await Promise.all([
    ask(`/sandbox/${NAMES[list]}?limit=${PAGE}&${queryOf(view)}`),
    ask('/sandbox/replies'),
    ask('/sandbox/delivery'),
  ]);
  /** @type {Item[]} */
  const items = page[NAMES[list]];
  const [newest] = items;
  const id = view.id ?? (wide.matches && newest !== undefined ? idOf(newest) : null);
  const item = items.find((one) => idOf(one) === id) ?? (id === null ? null : await loadItem(list, id));
  const details = item === null || list !== 'sent' ? null : await loadDetails(idOf(item));
  return { list, overview, items, next: page.next, id, item, details, replies, delivery };
}

/** Loads an item that the page of the list does not hold. @param {ListName} list @param {string} id */
async function loadItem(list, id) {
  const page = await ask(`/sandbox/${NAMES[list]}?limit=1&before=${before(id)}`);
  /** @type {Item | undefined} */
  const item = page[NAMES[list]][0];
  return item !== undefined && idOf(item) === id ? item : null;
}

/** Loads what the record of a sent message does not say, once its call has its response. @param {string} id */
function loadDetails(id) {
  const known = state.shown?.details;
  return known?.messageid === id && known.request?.response !== null ? known : ask(`/sandbox/messages/${id}`);
}

/** Shows for a while why something failed. @param {Error} error */
export function showProblem({ message }) {
  set({ problem: message });
  setTimeout(() => state.problem === message && set({ problem: '' }), 10_000);
}
