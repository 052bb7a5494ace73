// @ts-check
import { openDialog } from './focus.mjs';
import { Delivery, Receive, Reply, Reset } from './forms.mjs';
import { html } from './htm.mjs';
import { state } from './state.mjs';

// The bar with the lists, the connection and the menu of rare commands.

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });
/** Longer numbers leave no room for the others on a phone. */
const MAX_WRITTEN = 99_999;

/** @param {{ list: string, name: string, number: number }} properties */
function ListLink({ list, name, number }) {
  const isCurrent = state.view.list === list;
  const whole = number.toLocaleString();
  return html`<a href=${`#/${list}`} aria-current=${isCurrent ? 'page' : 'false'}>${name} <span title=${whole}>${number > MAX_WRITTEN ? compact.format(number) : whole}</span></a>`;
}

/** A command of the menu. @param {{ dialog: () => object, children?: unknown }} properties */
function Command({ dialog, children }) {
  return html`<button type="button" popovertarget="menu" popovertargetaction="hide" onClick=${() => openDialog(dialog)}>${children}</button>`;
}

export function Header() {
  const { overview, delivery, connection } = state;
  return html`<header>
    <h1>Messaging sandbox</h1>
    <nav aria-label="Lists">
      <${ListLink} list="sent" name="Sent" number=${overview.messages} />
      <${ListLink} list="received" name="Received" number=${overview.received} />
      <${ListLink} list="requests" name="Requests" number=${overview.requests} />
    </nav>
    <p id="connection" class=${connection === 'live' ? 'good' : 'bad'} role="status"><span>${connection === 'lost' ? 'offline' : connection}</span></p>
    <button type="button" id="open-menu" popovertarget="menu">Menu</button>
    <div id="menu" popover="auto">
      <${Command} dialog=${Delivery}>Delivery <span class="quiet">${delivery.enabled ? 'on' : 'off'}</span><//>
      <${Command} dialog=${Receive}>Receive a message<//>
      <${Command} dialog=${Reply}>Arm a reply<//>
      <${Command} dialog=${Reset}>Reset<//>
      <p class="quiet">
        Credit ${BigInt(overview.credit).toLocaleString()}<br />
        <a href="/soap/v1.asmx" title="The endpoint of the service">${overview.endpoint.replace(/^https?:\/\//, '')}</a>
      </p>
    </div>
  </header>`;
}
