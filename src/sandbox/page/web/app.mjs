// @ts-check
/** @import { DialogName, ListName, ReplyJson, ServiceJson, State } from './records' */
import { ask } from './api.mjs';
import { Detail } from './detail.mjs';
import { Dialogs } from './forms.mjs';
import { html } from './htm.mjs';
import { List } from './list.mjs';
import { Code, Own } from './parts.mjs';
import { set, showProblem } from './state.mjs';

// The page: header, messages about its state, the list and the opened item.

/** @param {State} state */
export function App(state) {
  const { view, shown, service, connection, problem } = state;
  const own = shown?.list === view.list ? shown : null;
  const isEmpty = view.list === 'sent' && view.id === null && own?.overview.messages === 0;
  return html`<${Header} ...${state} />
    ${connection === 'lost' && html`<p class="banner bad" id="lost" role="alert">The sandbox does not respond. It was stopped, or the connection to it is broken. The page shows what it knows, and connects again by itself.</p>`}
    ${problem !== '' && connection !== 'lost' && html`<p class="banner bad" role="alert">${problem}</p>`}
    ${shown !== null && shown.replies.length > 0 && html`<${Armed} replies=${shown.replies} />`}
    <main id="main" class=${isEmpty ? 'empty' : view.id === null ? '' : 'reading'}>
      ${isEmpty && service ? html`<${Welcome} service=${service} />` : html`<${List} ...${state} shown=${own} /><${Detail} ...${state} shown=${own} />`}
    </main>
    <${Dialogs} ...${state} />`;
}

const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** @param {State} properties */
function Header({ view, shown, connection }) {
  const { overview, delivery } = shown ?? {};
  const link = (/** @type {ListName} */ list, /** @type {string} */ name, /** @type {number | undefined} */ number) =>
    html`<a href=${`#/${list}`} aria-current=${view.list === list ? 'page' : 'false'}>${name} ${number === undefined ? '' : COMPACT.format(number)}</a>`;
  const dialog = (/** @type {DialogName} */ name, /** @type {unknown} */ text) =>
    html`<button type="button" onClick=${() => set({ dialog: name })}>${text}</button>`;
  return html`<header id="header">
    <h1><img src="/sandbox/page/icon.svg" alt="" width="26" height="26" /> <span>Messaging sandbox</span></h1>
    <p id="connection" class=${connection === 'live' ? 'good' : 'warn'} role="status">${connection === 'lost' ? 'offline' : connection}</p>
    <nav aria-label="Lists">
      ${link('sent', 'Sent', overview?.messages)}${link('received', 'Received', overview?.received)}${link('requests', 'Requests', undefined)}
    </nav>
    <button type="button" id="menu-button" popovertarget="menu" aria-label="Menu">⋯</button>
    <div id="menu" popover="auto" onClick=${closeMenu}>
      ${dialog('delivery', html`Delivery <b class=${delivery?.enabled ? 'good' : 'soft'}>${delivery?.enabled ? 'on' : 'off'}</b>`)}
      ${dialog('receive', 'Receive a message')}${dialog('reply', 'Arm a reply')}${dialog('reset', 'Reset')}
      <p class="soft">
        Credit ${overview?.credit.replace(/\B(?=(\d{3})+$)/g, '\u202f')}<br />
        <a href="/soap/v1.asmx" title="The endpoint of the service">${overview?.endpoint.replace(/^https?:\/\//, '')}</a>
      </p>
    </div>
  </header>`;
}

/** @param {{ currentTarget: HTMLElement, target: unknown }} event */
function closeMenu({ currentTarget, target }) {
  if (target instanceof HTMLButtonElement && currentTarget.matches(':popover-open')) currentTarget.hidePopover();
}

/** @param {{ replies: ReplyJson[] }} properties */
function Armed({ replies }) {
  return html`<ul class="banner warn" aria-label="Armed replies">
    ${replies.map(
      (reply) => html`<li key=${reply.id}>
        <${Own} text=${`Armed: ${describeReply(reply)}`} />
        <button type="button" class="small" onClick=${() => ask(`/sandbox/replies/${reply.id}`, 'DELETE').catch(showProblem)}>Disarm</button>
      </li>`,
    )}
  </ul>`;
}

/** @param {ReplyJson} armed */
function describeReply({ operation, times, reply }) {
  const often = times === null ? 'always' : times === 1 ? 'once' : `${times} times`;
  const delay = reply.delayMs ? `, after ${reply.delayMs} ms` : '';
  return `${operation === '*' ? 'Any operation' : operation} → ${describeContent(reply)}${delay}, ${often}`;
}

/** @param {ReplyJson['reply']} reply */
function describeContent({ fault, result, status, http, drop }) {
  if (fault !== undefined) return `fault ${fault.code}: ${fault.reason}`;
  if (result !== undefined) return 'a given result';
  if (status !== undefined) return `status ${status}`;
  if (http !== undefined) return `HTTP ${http.status}`;
  return drop === undefined ? "the service's own response" : `connection dropped ${drop} the operation`;
}

/** @param {{ service: ServiceJson }} properties */
function Welcome({ service }) {
  const { cli, curl } = service.examples;
  return html`<section id="welcome" aria-label="How to send the first message">
    <h2>Nothing was sent yet</h2>
    <p>Every message that a program sends to this sandbox appears here at once. The sandbox sends nothing to anyone.</p>
    <${Code} title="From a terminal" text=${cli} />
    <${Code} title="From any language, as SOAP 1.1" text=${curl} />
    <p>The <a href="/soap/v1.asmx?wsdl">WSDL</a> and the <a href="/soap/v1.asmx">list of operations</a> describe the rest.
      Tests control the sandbox over HTTP under <a href="/sandbox"><code>/sandbox</code></a>.</p>
  </section>`;
}
