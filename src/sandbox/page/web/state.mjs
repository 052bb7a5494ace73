// @ts-check
/** @import { SandboxDelivery } from '../../store/delivery' */
/** @import { DetailsJson, Item, ReplyJson } from './records' */
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

export const state = {
  view: readView(),
  /** `started` changes with each start and each reset, after which ids begin again. */
  overview: {
    started: '',
    endpoint: '',
    messages: 0,
    /** @type {Record<string, number>} The number of messages in each status. */
    statuses: {},
    received: 0,
    credit: '0',
  },
  /** @type {ReplyJson[]} */
  replies: [],
  /** @type {SandboxDelivery} */
  delivery: { enabled: false, steps: [], receptors: [] },
  /** @type {Item[] | null} The items of the view; null before they are loaded. */
  items: null,
  /**
   * What a search finds in sent messages; null without a search. `all` has the counts for the chips: of all that the
   * search finds, in whatever status.
   *
   * @type {{ found: number, all: { messages: number, statuses: Record<string, number> } } | null}
   */
  found: null,
  /** @type {string | null} The `before` of the next page of the list. */
  next: null,
  /** @type {Item | DetailsJson | null | undefined} The item that is shown beside the list; null when there is none. */
  item: undefined,
  /** The facts of the service that never change. */
  service: {
    /** @type {string[]} */
    operations: [],
    /** Commands that send a first message. */
    examples: { cli: '', curl: '' },
    /** @type {[status: number, text: string][]} */
    statuses: [],
  },
  /** @type {'connecting' | 'live' | 'lost'} */
  connection: 'connecting',
  /** The last failure, in words. */
  problem: '',
  /** @type {(() => object) | null} The component of the open dialog. */
  dialog: null,
  now: Date.now(),
};

/** Draws the state. The main module knows how. */
export const page = { draw: () => {} };

/** @param {Partial<typeof state>} changes */
export function set(changes) {
  Object.assign(state, changes);
  page.draw();
}

/** @typedef {ReturnType<typeof readView>} View what the user chose to see; an empty text is no choice */

/** Reads the address, which holds the view: `#/sent/ID?search=code&status=10&before=ID`. */
function readView() {
  const address = /^#\/(sent|received|requests)(?:\/(\d{1,18}))?(?:\?(.*))?$/.exec(location.hash);
  const [, list = 'sent', id = '', query = ''] = address ?? [];
  const { search = '', status = '', before = '' } = Object.fromEntries(new URLSearchParams(query));
  return { list: /** @type {keyof typeof NAMES} */ (list), id, search, status, before };
}

/** @param {View} view */
export function addressOf({ list, id, ...filter }) {
  const query = queryOf(filter);
  return `#/${list}${id && `/${id}`}${query && `?${query}`}`;
}

/** @param {Record<string, string>} filter */
export function queryOf(filter) {
  return String(new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')));
}

addEventListener('popstate', followAddress);
wide.addEventListener('change', () => load());

/** Shows what the address names. */
function followAddress() {
  const view = readView();
  set({ view, ...(view.list !== state.view.list && { items: null, item: undefined }) });
  load();
}

/** Changes the view and its address. @param {Partial<View>} changes @param {'pushState' | 'replaceState'} [step] */
export function show(changes, step = 'pushState') {
  history[step](null, '', addressOf({ ...state.view, ...changes }));
  followAddress();
}

/** @param {Item} item */
export function idOf(item) {
  return 'messageid' in item ? item.messageid : item.id;
}

/** The id of the opened item, or else of the newest one on a wide page; empty for none. */
export function shownId({ view, items } = state) {
  const [newest] = items ?? [];
  return view.id || (wide.matches && newest ? idOf(newest) : '');
}

/** Loads everything that is shown at once. */
let load = () => {};
/** Loads everything that is shown soon: many events cause few loads. */
export let loadSoon = () => {};

/** Loads everything that is shown, whenever one of the two functions is called. */
export async function keepLoading() {
  for (;;) {
    const start = performance.now();
    const isLive = state.connection === 'live';
    const wanted = new Promise((resolve) => (load = () => resolve(null)));
    const changed = new Promise((resolve) => (loadSoon = () => resolve(null)));
    const { view } = state;
    const loaded = isLive && (await loadView(view).catch(showProblem));
    // The user may have chosen something else during the load.
    if (loaded && view === state.view) set(loaded);
    // A load that takes long is not repeated at once.
    const pauseMs = isLive ? PAUSE_MS + 2 * (performance.now() - start) : 0;
    const paused = new Promise((resolve) => setTimeout(resolve, pauseMs));
    await Promise.race([wanted, Promise.all([changed, paused])]);
  }
}

/** @param {View} view @returns {Promise<Partial<typeof state>>} */
async function loadView(view) {
  const { list, id: _, ...filter } = view;
  const [first] = state.items ?? [];
  // The rows of a list stay in their places while it is scrolled.
  if (first && document.getElementById('list')?.scrollTop) filter.before = `${BigInt(idOf(first)) + 1n}`;
  const overview = await ask('/sandbox');
  if (state.overview.started !== '' && state.overview.started !== overview.started) {
    // Ids begin again: what is shown may have the id of something else.
    set({ overview, items: null, item: undefined, found: null });
    show({ id: '', search: '', status: '', before: '' }, 'replaceState');
    return {};
  }
  const [found, { replies }, delivery] = await Promise.all([
    ask(`/sandbox/${NAMES[list]}?limit=${PAGE}&${queryOf(filter)}`),
    ask('/sandbox/replies'),
    ask('/sandbox/delivery'),
  ]);
  const items = found[NAMES[list]];
  const item = await loadItem(view, items);
  return { overview, items, next: found.next, item, replies, delivery, found: await countFound(view, found) };
}

/**
 * @param {View} view
 * @param {{ found: number, statuses: Record<string, number> }} listed
 * @returns {Promise<typeof state.found>}
 */
async function countFound({ list, search, status }, listed) {
  if (list !== 'sent' || (search === '' && status === '')) return null;
  const all = status === '' ? listed : await ask(`/sandbox/messages?limit=1&${queryOf({ search })}`);
  return { found: listed.found, all: { messages: all.found, statuses: all.statuses } };
}

/** @param {View} view @param {Item[]} items @returns {Promise<typeof state.item>} */
async function loadItem(view, items) {
  const id = shownId({ ...state, view, items });
  const listed = items.find((item) => idOf(item) === id);
  const { item: known } = state;
  // The exchange does not change any more once it has its response.
  if (listed && known && 'request' in known && known.request?.response && known.messageid === id)
    return { ...known, ...listed };
  if (id !== '' && view.list === 'sent') return ask(`/sandbox/messages/${id}`);
  if (id === '' || listed) return listed ?? null;
  const found = await ask(`/sandbox/${NAMES[view.list]}?limit=1&before=${BigInt(id) + 1n}`);
  const [item] = found[NAMES[view.list]];
  return item && idOf(item) === id ? item : null;
}

/** Shows for a while why something failed. @param {Error} error */
export function showProblem({ message }) {
  set({ problem: message });
  setTimeout(() => state.problem === message && set({ problem: '' }), 10_000);
}
