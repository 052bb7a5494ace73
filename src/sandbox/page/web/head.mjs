// @ts-check
import { html } from './htm.mjs';
import { show } from './view.mjs';

/**
 * The head of an opened item. Where the list is not beside it, a button leads back to it.
 *
 * @param {{ children?: unknown }} properties
 */
export function Head({ children }) {
  return html`<header>
    <p class="back"><button type="button" onClick=${() => show({ id: '' })}>Back to the list</button></p>
    ${children}
  </header>`;
}
