// @ts-check
/** @import { ListName } from './records' */

// The address of the page: `#/sent` for a list, `#/sent/ID` for an item that was opened. Back closes the item.

/** True while the browser goes back to the address of the list. */
let isLeaving = false;
/** The address to show after that. @type {string | null} */
let wanted = null;

/** @returns {{ list: ListName, id: string | null }} */
export function readAddress() {
  const [, list = 'sent', id = null] = /^#\/(sent|received|requests)(?:\/(\d{1,19}))?$/.exec(location.hash) ?? [];
  return { list: /** @type {ListName} */ (list), id };
}

/**
 * Shows the address of an opened item.
 *
 * @param {ListName} list
 * @param {string} id
 */
export function writeItemAddress(list, id) {
  const address = `#/${list}/${id}`;
  if (isLeaving) wanted = address;
  else if (readAddress().id === null) history.pushState({ isOpened: true }, '', address);
  // One step back closes the item, however many were opened one after the other.
  else history.replaceState(history.state, '', address);
}

/**
 * Shows the address of a list, after an item was closed or another list chosen.
 *
 * @param {ListName} list
 */
export function writeListAddress(list) {
  if (isLeaving) wanted = null;
  else if (readAddress().list === list && history.state?.isOpened) {
    isLeaving = true;
    history.back();
  } else history.replaceState(null, '', `#/${list}`);
}

/**
 * Calls `show` when the user goes back or forward, or edits the address.
 *
 * @param {() => void} show
 */
export function onAddress(show) {
  addEventListener('popstate', () => {
    if (!isLeaving) {
      show();
      return;
    }
    isLeaving = false;
    if (wanted !== null) history.pushState({ isOpened: true }, '', wanted);
    wanted = null;
  });
}
