// @ts-check
import { Head } from './head.mjs';
import { html, useLayoutEffect, useRef } from './htm.mjs';
import { Call, Message } from './message.mjs';
import { Request } from './request.mjs';
import { state, wide } from './state.mjs';
import { Talk } from './talk.mjs';
import { idOf, show } from './view.mjs';

// The opened item. A wide page shows the newest item until the user opens another one.

/** @param {{ id: string }} properties */
export function Detail({ id }) {
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  const { view, rows, item } = state;
  useLayoutEffect(() => {
    if (wide.matches) return;
    pane.current?.focus();
    return () => /** @type {HTMLElement | null} */ (document.querySelector('#list [tabindex="0"]'))?.focus();
  }, []);
  // The newest item stays when the user begins to work with it.
  const keep = () => view.id === '' && show({ id });
  // The row of a request has all of it.
  const shown = item && idOf(item) === id ? item : rows?.find((row) => 'method' in row && row.id === id);
  return html`<section id="detail" class=${view.list} aria-label="Details" tabindex="-1" ref=${pane} onpointerdown=${keep} onfocusin=${keep}>
    <div>
      ${shown && html`<${Content} item=${shown} />`}
      ${item === null && html`<${Head}><p class="quiet">The sandbox has no item with the id ${id}.</p><//>`}
    </div>
  </section>`;
}

/** @param {{ item: NonNullable<typeof state.item> }} properties */
function Content({ item }) {
  if ('line' in item) return html`<${Talk} talk=${item} />`;
  if ('method' in item) return html`<${Request} request=${item} />`;
  return 'details' in item ? html`<${Call} ...${item} />` : html`<${Message} message=${item} />`;
}
