// @ts-check
import { byId } from './dom.mjs';

// Runs what a user or an event asks for, and shows on the page why it failed.

const connection = byId('connection', HTMLElement);

/**
 * Shows the state of the connection in the header.
 *
 * @param {string} text
 * @param {boolean} isLive
 */
export function showConnection(text, isLive) {
  connection.textContent = text;
  connection.classList.toggle('live', isLive);
}

const lost = byId('lost', HTMLElement);
const problem = byId('problem', HTMLElement);

/**
 * Shows for a while why something failed.
 *
 * @param {Error} error
 */
export function showProblem(error) {
  problem.textContent = error.message;
  problem.hidden = !lost.hidden;
  setTimeout(() => {
    problem.hidden = true;
  }, 10_000);
}

/** A browser that connects again within this time was only disconnected from the events, in milliseconds. */
const LOST_MS = 1500;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let losing;

/**
 * Shows in words that the connection is lost, unless it soon comes back.
 *
 * @param {boolean} isLost
 */
export function showLost(isLost) {
  if (isLost) {
    losing ??= setTimeout(() => {
      lost.hidden = false;
      problem.hidden = true;
    }, LOST_MS);
    return;
  }
  clearTimeout(losing);
  losing = undefined;
  lost.hidden = true;
}

/**
 * @param {HTMLElement} element
 * @param {() => Promise<unknown>} act
 */
export function onClick(element, act) {
  element.addEventListener('click', () => act().catch(showProblem));
}

/**
 * Sends a form, and shows a failure beside its button.
 *
 * @param {HTMLFormElement} form
 * @param {() => Promise<unknown>} send
 */
export function onSubmit(form, send) {
  const refusal = /** @type {HTMLElement} */ (form.querySelector('.error'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    refusal.textContent = '';
    try {
      await send();
      const dialog = form.closest('dialog');
      if (dialog?.dataset.stays === undefined) dialog?.close();
    } catch (error) {
      refusal.textContent = /** @type {Error} */ (error).message;
    }
  });
}

/**
 * Makes a function that calls `act` once, soon, however often the function is called meanwhile.
 *
 * @param {() => Promise<unknown>} act
 * @param {number} milliseconds
 * @returns {() => void}
 */
export function soon(act, milliseconds) {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      act().catch(showProblem);
    }, milliseconds);
  };
}
