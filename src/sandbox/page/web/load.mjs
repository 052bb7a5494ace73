// @ts-check
/** @import { Item, Row } from './records' */
/** @import { View } from './view.mjs' */
import { ask } from './api.mjs';
import { PAGE, page, set, showProblem, state } from './state.mjs';
import { toneOf } from './tones.mjs';
import { queryOf, show, shownId } from './view.mjs';

// Loads what is shown. An event says only which kinds of things have changed.

/** The shortest pause between two loads that events cause, in milliseconds. */
const PAUSE_MS = 200;

/** The names of the lists in the control interface. */
const NAMES = { sent: 'calls', received: 'conversations', requests: 'requests' };

/** Loads more rows, when the end of the list comes into sight. */
export function loadMore() {
  if (state.isComplete || (state.rows?.length ?? 0) < state.limit) return;
  set({ limit: state.limit + PAGE });
  page.load();
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
  page.load();
}

/** Loads everything that is shown soon: many events cause few loads. */
export let loadSoon = () => {};

/** Loads everything that is shown, whenever `page.load` or `loadSoon` is called. */
export async function keepLoading() {
  for (;;) {
    const start = performance.now();
    const isLive = state.connection === 'live';
    const wanted = new Promise((resolve) => (page.load = () => resolve(null)));
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

/**
 * Asks for a list. An empty text is no parameter.
 *
 * @param {string} path
 * @param {Readonly<Record<string, string>>} parameters
 */
function askFor(path, parameters) {
  return ask(`${path}?${new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''))}`);
}

/** @param {View} view @returns {Promise<Partial<typeof state>>} */
async function loadView(view) {
  const overview = await ask('/sandbox');
  if (state.overview.started !== '' && state.overview.started !== overview.started) {
    // Ids begin again: what is shown may have the id of something else.
    const done = state.done?.undo === '' ? state.done : null;
    set({ overview, rows: null, item: undefined, unfolded: {}, cursor: '', done });
    show({ id: '', search: '' }, 'replaceState');
    return {};
  }
  const [first] = state.rows ?? [];
  // The place of a conversation changes with each message.
  const before = first && 'id' in first && isScrolled() ? String(BigInt(first.id) + 1n) : '';
  const [listed, { replies }, delivery] = await Promise.all([
    loadList(view, before),
    ask('/sandbox/replies'),
    ask('/sandbox/delivery'),
  ]);
  /** @type {Row[]} */
  const rows = listed[NAMES[view.list]] ?? [];
  const [item, unfolded, found] = await Promise.all([
    loadItem(view, rows),
    loadUnfolded(view, rows),
    countFound(view, overview, listed),
  ]);
  const seen = before === '' ? overview.messages : state.seen;
  return { overview, rows, isComplete: listed.next === null, item, unfolded, replies, delivery, found, seen };
}

/** Nothing matches a search that is not understood. @param {View} view @param {string} before */
async function loadList(view, before) {
  const { parameters, status, problem } = queryOf(view);
  if (problem !== '') return { next: null, found: 0, results: {} };
  const chosen = view.list === 'requests' ? { result: status } : view.list === 'sent' ? { status } : {};
  return askFor(`/sandbox/${NAMES[view.list]}`, { limit: String(state.limit), before, ...parameters, ...chosen });
}

/**
 * @param {View} view
 * @param {typeof state.overview} overview
 * @param {{ found: number, results: Record<string, number> }} listed the response with the rows
 * @returns {Promise<typeof state.found>}
 */
async function countFound(view, overview, listed) {
  const { parameters, status, problem } = queryOf(view);
  if (view.list === 'received' || problem !== '') return { total: 0, chips: {} };
  if (view.list === 'requests') {
    const all = status === '' ? listed : await askFor('/sandbox/requests', { limit: '1', ...parameters });
    return { total: all.found, chips: all.results };
  }
  if (Object.values(parameters).every((value) => value === '')) {
    return { total: overview.messages, chips: overview.statuses };
  }
  const { found, statuses } = await askFor('/sandbox/messages', { limit: '1', ...parameters });
  return { total: found, chips: statuses };
}

/** Loads the messages of the calls that are unfolded, bad ones first. @param {View} view @param {Row[]} rows */
async function loadUnfolded(view, rows) {
  const { parameters, status: chosen } = queryOf(view);
  const calls = rows.flatMap((row) => ('operation' in row && 'messages' in row && state.unfolded[row.id] ? row : []));
  const loaded = calls.map(async ({ id, statuses }) => {
    const limit = state.unfolded[id]?.limit ?? 0;
    const of = (/** @type {string} */ status) =>
      askFor('/sandbox/messages', { limit: String(limit), call: id, ...parameters, status });
    const bad = chosen === '' ? Object.keys(statuses).filter((status) => toneOf(status) === 'bad') : [];
    const lists = await Promise.all([...bad, chosen].map(of));
    const byId = new Map(lists.flatMap(({ messages }) => messages).map((one) => [one.messageid, one]));
    return [id, { limit, messages: [...byId.values()].slice(0, limit) }];
  });
  return Object.fromEntries(await Promise.all(loaded));
}

/** @param {View} view @param {Row[]} rows @returns {Promise<typeof state.item>} */
async function loadItem(view, rows) {
  const id = shownId({ ...state, view, rows });
  if (id === '') return null;
  if (view.list === 'received') return loadTalk(id);
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

/** @param {string} id */
async function loadTalk(id) {
  const [line = '', number = ''] = id.split('/').map(decode);
  const talk = await ask(
    `/sandbox/conversation?${new URLSearchParams({ line, number, limit: String(state.talkLimit) })}`,
  );
  return talk.found === 0 ? null : talk;
}

/** A part of an address as text; the part itself when it is no encoded text. @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
