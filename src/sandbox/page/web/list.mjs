// @ts-check
/** @import { Item, ListName, RequestJson, SentJson } from './records' */
import { soon } from './actions.mjs';
import { readAddress, writeItemAddress, writeListAddress } from './address.mjs';
import { ask } from './api.mjs';
import { focusDetail, hideDetail, idOf, isNarrow, showDetail, updateDetail } from './detail.mjs';
import { byId } from './dom.mjs';
import { lists, loadItem, PAGE, pagePath } from './lists.mjs';
import { Row } from './row.mjs';

// The list on the left: sent messages, received messages or requests, newest first.

/** The page drops older rows when new rows come in. "Show more" brings them back. */
const MAX_ROWS = 500;

const main = byId('main', HTMLElement);
const pane = byId('list-pane', HTMLElement);
const list = byId('list', HTMLElement);
const more = byId('more', HTMLButtonElement);
const nothing = byId('nothing', HTMLElement);
const welcome = byId('welcome', HTMLElement);
const search = byId('search', HTMLInputElement);
const found = byId('found', HTMLElement);

/** @type {ListName} */
let shown = 'sent';
/** @type {Row[]} */
let rows = [];
/** The id before which the next page begins, or null after the last page. @type {string | null} */
let next = null;
/** @type {Row | null} */
let selected = null;
/** True until the user opens or closes an item: the newest one is shown, where there is room beside the list. */
let isFollowing = true;
/** Items that came in after the list was last drawn, newest first. @type {Item[]} */
let incoming = [];
/** The number of loads, by which a late response to an earlier load is recognised. */
let loads = 0;
/** The number of loads that wait for their response. */
let loading = 0;

/** @param {ListName} name */
export function isShown(name) {
  return shown === name;
}

/** @param {ListName} name */
export function showList(name) {
  shown = name;
  for (const button of document.querySelectorAll('[data-list]')) {
    button.setAttribute('aria-pressed', String(button instanceof HTMLElement && button.dataset.list === name));
  }
  search.value = '';
  search.placeholder = lists[name].placeholder;
  rows = [];
  incoming = [];
  isFollowing = true;
  select(null);
  return loadList();
}

/** Shows what the address of the page names. */
export async function showAddress() {
  const { list: name, id } = readAddress();
  if (shown !== name) await showList(name);
  if (id === null) select(null);
  else if (selected === null || idOf(selected.item) !== id) await openItem(name, id);
}

/**
 * Opens an item, which the list need not hold.
 *
 * @param {ListName} name
 * @param {string} id
 */
async function openItem(name, id) {
  isFollowing = false;
  const row = rows.find(({ item }) => idOf(item) === id) ?? makeRow(await loadItem(name, id));
  select(row);
}

/** Loads the list again. */
export function reloadList() {
  incoming = [];
  return loadList();
}

export const reloadListSoon = soon(loadList, 300);

/** Loads the list from its start, or appends its next page. */
export async function loadList(append = false) {
  loads += 1;
  loading += 1;
  const mine = loads;
  const json = await ask(pagePath(shown, search.value, append ? next : null)).finally(() => {
    loading -= 1;
  });
  if (mine !== loads) return;
  const page = /** @type {Item[]} */ (json[lists[shown].name]).map(makeRow);
  next = json.next ?? null;
  rows = append ? [...rows, ...page] : page;
  if (append) list.append(...page.map(({ element }) => element));
  else list.replaceChildren(...page.map(({ element }) => element));
  const { item } = selected ?? {};
  if (item !== undefined) {
    selected = rows.find((row) => idOf(row.item) === idOf(item)) ?? selected;
    selected?.mark(true);
    // The status may have changed while the page was not connected.
    if (selected !== null && 'status' in selected.item) updateDetail(selected.item);
  }
  arrange();
}

/** Shows the buttons and texts that fit the number of items. */
function arrange() {
  const isEmpty = rows.length === 0;
  const isFirst = isEmpty && shown === 'sent' && search.value === '';
  more.hidden = next === null;
  nothing.hidden = !isEmpty || isFirst;
  nothing.textContent = search.value === '' ? lists[shown].nothing : 'Nothing matches the search.';
  welcome.hidden = !isFirst;
  main.classList.toggle('empty', isFirst);
  main.classList.toggle('none', isEmpty);
  found.hidden = isEmpty || search.value === '';
  byId('found-count', HTMLElement).textContent =
    `${rows.length.toLocaleString()}${next === null ? '' : ' or more'} found`;
  byId('remove-button', HTMLElement).hidden = shown !== 'sent';
  if (isFollowing && !isNarrow()) select(rows[0] ?? null);
}

/** @param {Item} item */
function makeRow(item) {
  return new Row(item, (row) => {
    isFollowing = false;
    select(row);
    writeItemAddress(shown, idOf(row.item));
    focusDetail();
  });
}

/** @param {Row | null} row */
function select(row) {
  selected?.mark(false);
  selected = row;
  row?.mark(true);
  if (row === null) hideDetail();
  else showDetail(row.item, isFollowing);
}

export function hasSelection() {
  return selected !== null;
}

/** Closes the details. */
export function deselect() {
  isFollowing = false;
  select(null);
  writeListAddress(shown);
}

/** Closes the details and returns the focus to the row. */
export function returnToList() {
  const button = selected?.button;
  deselect();
  button?.focus();
}

/** Keeps the item that is shown, as while the user works with it. */
export function stopFollowing() {
  isFollowing = false;
}

/** @param {readonly string[]} ids the ids of sent messages that were removed */
export function removeItems(ids) {
  if (shown !== 'sent') return;
  const removed = new Set(ids);
  incoming = incoming.filter((item) => !removed.has(idOf(item)));
  for (const row of rows) if (removed.has(idOf(row.item))) row.element.remove();
  rows = rows.filter((row) => !removed.has(idOf(row.item)));
  if (selected !== null && removed.has(idOf(selected.item))) deselect();
  arrange();
  // The load brings what moves up.
  if (next !== null) reloadListSoon();
}

/**
 * Adds a new item on top of its list, if this list is shown.
 *
 * @param {ListName} name
 * @param {Item} item
 */
export function addItem(name, item) {
  if (shown !== name) return;
  if (search.value !== '') {
    reloadListSoon();
    return;
  }
  incoming.unshift(item);
  if (incoming.length > 2 * PAGE) incoming.length = PAGE + 1;
  drawIncomingSoon();
}

const drawIncomingSoon = soon(async () => {
  const newest = incoming;
  incoming = [];
  // More than a page is quicker to load again.
  if (newest.length > PAGE) await loadList();
  else prepend(newest.filter(isNew));
}, 100);

/**
 * True for an item that a load did not bring into the list already.
 *
 * @param {Item} item
 */
function isNew(item) {
  // Requests get their responses in any order.
  if (!('messageid' in item)) return rows.every((row) => idOf(row.item) !== item.id);
  const [first] = rows;
  return first === undefined || BigInt(item.messageid) > BigInt(idOf(first.item));
}

/** @param {Item[]} newest */
function prepend(newest) {
  const isAtTop = pane.scrollTop === 0;
  const added = newest.map(makeRow);
  rows = [...added, ...rows];
  list.prepend(...added.map(({ element }) => element));
  if (rows.length > MAX_ROWS && isAtTop) {
    for (const { element } of rows.splice(MAX_ROWS)) element.remove();
    const last = rows.at(-1)?.item;
    next = last !== undefined && 'messageid' in last ? last.messageid : null;
  }
  arrange();
}

/**
 * Adds a request that got its response, or updates its row if the list was loaded before the response.
 *
 * @param {RequestJson} request
 */
export function addRequest(request) {
  if (shown !== 'requests') return;
  // A load that is under way may still bring the request without its response.
  if (loading > 0) reloadListSoon();
  const row = rows.find(({ item }) => idOf(item) === request.id);
  if (row === undefined) addItem('requests', request);
  else update(row, request);
}

/** @param {SentJson} changed */
export function updateStatus(changed) {
  if (shown !== 'sent') return;
  // A load that is under way may still bring the old status, or the message itself.
  if (loading > 0) reloadListSoon();
  const waiting = incoming.findIndex((item) => idOf(item) === changed.messageid);
  if (waiting >= 0) incoming[waiting] = changed;
  // An item that was opened by its address need not be in the list.
  const isSelected = selected !== null && idOf(selected.item) === changed.messageid;
  const row = isSelected ? selected : rows.find(({ item }) => idOf(item) === changed.messageid);
  if (row) update(row, changed);
}

/**
 * @param {Row} row
 * @param {Item} item
 */
function update(row, item) {
  row.show(item);
  updateDetail(item);
}

/**
 * Moves the focus to the next or the previous row.
 *
 * @param {1 | -1} step
 * @returns {boolean} false without such a row
 */
export function moveFocus(step) {
  const index = rows.findIndex(({ button }) => button === document.activeElement);
  const row = rows[index < 0 ? 0 : index + step];
  row?.button.focus();
  return row !== undefined;
}
