// @ts-check
/** @import { SandboxDelivery } from '../../store/delivery' */
/** @import { CallJson, Item, ReplyJson, Row, SentJson } from './records' */
import { ask } from './api.mjs';
import { toneOf } from './tones.mjs';

// The state of the page. An event or a user changes it; everything that is shown follows from it.

/** The number of rows that are loaded at first, and whenever the end of the list comes into sight. */
const PAGE = 50;
/** The number of messages of a call that are shown when it is unfolded. */
export const UNFOLDED = 5;
/** The shortest pause between two loads that events cause, in milliseconds. */
const PAUSE_MS = 200;

/** The names of the lists in the control interface. */
const NAMES = { sent: 'calls', received: 'conversations', requests: 'requests' };

/** A wide page shows a list and an item side by side. */
export const wide = matchMedia('(min-width: 901px)');

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
  /** @type {Row[] | null} The rows of the view; null before they are loaded. */
  rows: null,
  /** The number of rows that are asked for. */
  limit: PAGE,
  isComplete: false,
  /** The messages or requests that the search finds, in all and by status or result. The chosen chip does not count. */
  found: { total: 0, /** @type {Record<string, number>} */ chips: {} },
  /** The number of messages when the list was last loaded from its top. */
  seen: 0,
  /** @type {Record<string, { limit: number, messages: SentJson[] }>} The messages of the unfolded calls, by call. */
  unfolded: {},
  /** @type {Item | null | undefined} The item that is shown beside the list; null for an id that is not known. */
  item: undefined,
  /** The facts of the service that never change. */
  service: {
    /** @type {string[]} */
    operations: [],
    /** Commands that send and receive a first message. */
    examples: { cli: '', curl: '', receive: '' },
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

/** True when the rows are only those that match. @param {Pick<View, 'search' | 'chip'>} view */
export function isFiltered({ search, chip }) {
  return search !== '' || chip !== '';
}

/** @typedef {ReturnType<typeof readView>} View what the user chose to see; an empty text is no choice */

/**
 * Reads the address, which holds the view: `#/sent/ID?search=code&chip=10`. The id of a call is `call-ID`, that of a
 * conversation `LINE/NUMBER`, with each part encoded.
 */
function readView() {
  const address = /^#\/(sent|received|requests)(?:\/([^?]+))?(?:\?(.*))?$/.exec(location.hash);
  const [, list = 'sent', id = '', query = ''] = address ?? [];
  const { search = '', chip = '' } = Object.fromEntries(new URLSearchParams(query));
  return { list: /** @type {keyof typeof NAMES} */ (list), id, search, chip };
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
  const isOther = view.list !== state.view.list;
  const hasOtherFilter = view.search !== state.view.search || view.chip !== state.view.chip;
  set({
    view,
    ...((isOther || hasOtherFilter) && { limit: PAGE }),
    ...(isOther && { rows: null, item: undefined, unfolded: {} }),
  });
  load();
}

/** Changes the view and its address. @param {Partial<View>} changes @param {'pushState' | 'replaceState'} [step] */
export function show(changes, step = 'pushState') {
  history[step](null, '', addressOf({ ...state.view, ...changes }));
  followAddress();
}

/** The id of a row, or of an opened item, in the address. @param {Row | Item} one */
export function idOf(one) {
  if ('line' in one) return `${encodeURIComponent(one.line)}/${encodeURIComponent(one.number)}`;
  if ('method' in one) return one.id;
  if ('details' in one) return `call-${one.call.id}`;
  if ('messageid' in one) return one.messageid;
  return isOne(one) ? one.first.messageid : `call-${one.id}`;
}

/** True for a call of which one message is shown, as a message of its own. @param {CallJson} call */
export function isOne({ messages }) {
  return messages === 1;
}

/** The id of the opened item, or else of the newest one on a wide page; empty for none. */
export function shownId({ view, rows } = state) {
  const [newest] = rows ?? [];
  return view.id || (wide.matches && newest ? idOf(newest) : '');
}

/** Loads more rows, when the end of the list comes into sight. */
export function loadMore() {
  if (state.isComplete || (state.rows?.length ?? 0) < state.limit) return;
  set({ limit: state.limit + PAGE });
  load();
}

/**
 * Shows the first messages of a call below its row, more of them, or none.
 *
 * @param {string} call
 * @param {number} limit
 */
export function unfold(call, limit) {
  const { [call]: known, ...others } = state.unfolded;
  set({ unfolded: limit === 0 ? others : { ...others, [call]: { limit, messages: known?.messages ?? [] } } });
  load();
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

/** True while the list is scrolled: its rows stay in their places. */
export function isScrolled() {
  return (document.getElementById('list')?.scrollTop ?? 0) > 0;
}

/** @param {View} view @returns {Promise<Partial<typeof state>>} */
async function loadView(view) {
  const { list, search, chip } = view;
  const overview = await ask('/sandbox');
  if (state.overview.started !== '' && state.overview.started !== overview.started) {
    // Ids begin again: what is shown may have the id of something else.
    set({ overview, rows: null, item: undefined, unfolded: {} });
    show({ id: '', search: '', chip: '' }, 'replaceState');
    return {};
  }
  const [first] = state.rows ?? [];
  // The place of a conversation changes with each message.
  const before = first && 'id' in first && isScrolled() ? String(BigInt(first.id) + 1n) : '';
  const chips = list === 'requests' ? { result: chip } : list === 'sent' ? { status: chip } : {};
  const { limit } = state;
  const [listed, { replies }, delivery] = await Promise.all([
    ask(`/sandbox/${NAMES[list]}?limit=${limit}&${queryOf({ search, before, ...chips })}`),
    ask('/sandbox/replies'),
    ask('/sandbox/delivery'),
  ]);
  /** @type {Row[]} */
  const rows = listed[NAMES[list]];
  const [item, unfolded, found] = await Promise.all([
    loadItem(view, rows),
    loadUnfolded(view, rows),
    countFound(view, overview, listed),
  ]);
  const seen = before === '' ? overview.messages : state.seen;
  return { overview, rows, isComplete: listed.next === null, item, unfolded, replies, delivery, found, seen };
}

/**
 * @param {View} view
 * @param {typeof state.overview} overview
 * @param {{ found: number, results: Record<string, number> }} listed the response with the rows
 * @returns {Promise<typeof state.found>}
 */
async function countFound({ list, search, chip }, overview, listed) {
  if (list === 'received') return { total: 0, chips: {} };
  if (list === 'requests') {
    const all = chip === '' ? listed : await ask(`/sandbox/requests?limit=1&${queryOf({ search })}`);
    return { total: all.found, chips: all.results };
  }
  if (search === '') return { total: overview.messages, chips: overview.statuses };
  const { found, statuses } = await ask(`/sandbox/messages?limit=1&${queryOf({ search })}`);
  return { total: found, chips: statuses };
}

/** Loads the messages of the calls that are unfolded, bad ones first. @param {View} view @param {Row[]} rows */
async function loadUnfolded({ search, chip }, rows) {
  const calls = rows.flatMap((row) => ('operation' in row && 'messages' in row && state.unfolded[row.id] ? row : []));
  const loaded = calls.map(async ({ id, statuses }) => {
    const limit = state.unfolded[id]?.limit ?? 0;
    const of = (/** @type {string} */ status) =>
      ask(`/sandbox/messages?limit=${limit}&${queryOf({ call: id, search, status })}`);
    const bad = chip === '' ? Object.keys(statuses).filter((status) => toneOf(status) === 'bad') : [];
    const lists = await Promise.all([...bad, chip].map(of));
    const byId = new Map(lists.flatMap(({ messages }) => messages).map((one) => [one.messageid, one]));
    return [id, { limit, messages: [...byId.values()].slice(0, limit) }];
  });
  return Object.fromEntries(await Promise.all(loaded));
}

/** @param {View} view @param {Row[]} rows @returns {Promise<typeof state.item>} */
async function loadItem(view, rows) {
  const id = shownId({ ...state, view, rows });
  if (id === '') return null;
  if (view.list === 'received') return ask(`/sandbox/conversations/${id}`);
  const [, call] = /^call-(\d{1,18})$/.exec(id) ?? [];
  if (call === undefined && !/^\d{1,18}$/.test(id)) return null;
  const listed = rows.find((row) => 'method' in row && row.id === id);
  if (listed) return /** @type {Item} */ (listed);
  if (view.list === 'sent' && call === undefined) return ask(`/sandbox/messages/${id}`);
  const name = NAMES[view.list];
  const [row] = (await ask(`/sandbox/${name}?limit=1&before=${BigInt(call ?? id) + 1n}`))[name];
  if (row?.id !== (call ?? id)) return null;
  if (call === undefined) return row;
  return { call: row, details: await ask(`/sandbox/messages/${row.first.messageid}`) };
}

/** Shows for a while why something failed. @param {Error} error */
export function showProblem({ message }) {
  set({ problem: message });
  setTimeout(() => state.problem === message && set({ problem: '' }), 10_000);
}
