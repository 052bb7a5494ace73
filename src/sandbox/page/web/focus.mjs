// @ts-check
import { set, state } from './state.mjs';

// The keyboard is always somewhere: when the element that has the focus goes, another one gets it.

/** @type {Element | null} The element that had the focus last; null when the user has left it. */
let last = null;
/** @type {Element | null} The element from which a dialog was opened. */
let opener = null;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element) last = target;
});
document.addEventListener(
  'pointerdown',
  ({ target }) => {
    const place =
      target instanceof Element ? target.closest('a, button, input, select, textarea, summary, [tabindex]') : null;
    if (place === null) last = null;
  },
  true,
);

/** @param {Element | null | undefined} element */
function isVisible(element) {
  return element?.checkVisibility() === true;
}

/** Opens a dialog. @param {() => object} dialog a component */
export function openDialog(dialog) {
  const { activeElement } = document;
  // A command of the menu disappears with the menu.
  opener = activeElement?.closest('#menu') ? document.getElementById('open-menu') : activeElement;
  set({ dialog });
}

/** Closes the dialog, and gives the focus back to the element from which it was opened. */
export function closeDialog() {
  set({ dialog: null });
  opener = null;
}

/** Gives the focus to another element when the one that had it has gone. It is called after each drawing. */
export function keepFocus() {
  if (document.activeElement !== document.body || last === null) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const places = ['#list [tabindex="0"]', '#search', 'main :is(a, button, [tabindex])', '#open-menu'];
  // An element that was only moved has lost the focus too.
  const target = [last, opener, ...places.map((place) => document.querySelector(place))].find(isVisible);
  if (target instanceof HTMLElement) target.focus({ preventScroll: target === last });
}

/** Lets the keyboard enter the list at the row after the opened one, which is about to go, or at the one before it. */
export function moveCursorOn() {
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('#list .row')]);
  const at = rows.findIndex((row) => row.getAttribute('aria-current') === 'true');
  set({ cursor: (rows[at + 1] ?? rows[at - 1])?.dataset.id ?? state.cursor });
}
