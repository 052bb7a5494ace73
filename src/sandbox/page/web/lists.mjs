// @ts-check
/** @import { Item, ListName } from './records' */
import { ask } from './api.mjs';
import { idOf } from './detail.mjs';

// The three lists of the control interface, and how the page loads them.

/** The number of items that are loaded at once. */
export const PAGE = 100;

/**
 * The lists. `name` is the field of the JSON that holds the items; `filter` is the parameter that searches them.
 *
 * @type {Record<ListName, { path: string, name: string, filter: string, placeholder: string, nothing: string }>}
 */
export const lists = {
  sent: {
    path: '/sandbox/messages',
    name: 'messages',
    filter: 'search',
    placeholder: 'Id, sender, receptor or text   /',
    nothing: 'No message matches.',
  },
  received: {
    path: '/sandbox/received',
    name: 'received',
    filter: 'line',
    placeholder: 'Line   /',
    nothing: 'Nothing was received. Add a message with “Receive a message”.',
  },
  requests: {
    path: '/sandbox/requests',
    name: 'requests',
    filter: 'search',
    placeholder: 'Operation, text or any part   /',
    nothing: 'The sandbox received no request yet.',
  },
};
/**
 * The path of a page of a list.
 *
 * @param {ListName} name
 * @param {string} search
 * @param {string | null} before
 */
export function pagePath(name, search, before) {
  const { path, filter } = lists[name];
  const parameters = new URLSearchParams({ limit: String(PAGE) });
  if (search !== '') parameters.set(filter, search);
  if (before !== null) parameters.set('before', before);
  return `${path}?${parameters}`;
}

/**
 * Loads one item, as for an address.
 *
 * @param {ListName} name
 * @param {string} id
 * @returns {Promise<Item>}
 */
export async function loadItem(name, id) {
  if (name === 'sent') return ask(`/sandbox/messages/${id}`);
  const before = name === 'received' ? `limit=1&before=${BigInt(id) + 1n}` : 'limit=1000';
  const json = await ask(`${lists[name].path}?${before}`);
  const item = /** @type {Item[]} */ (json[lists[name].name]).find((one) => idOf(one) === id);
  if (item === undefined) throw new Error(`the sandbox has no such item any more: ${id}`);
  return item;
}
