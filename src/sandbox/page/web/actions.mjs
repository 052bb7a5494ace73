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

/** @param {Error} error */
export function showProblem(error) {
  showConnection(error.message, false);
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
  const problem = /** @type {HTMLElement} */ (form.querySelector('.error'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.textContent = '';
    try {
      await send();
      form.closest('dialog')?.close();
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
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
