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
  const alert =
    connection === 'lost'
      ? 'The sandbox does not respond. It was stopped, or the connection to it is broken. The page shows what it knows, and connects again by itself.'
      : problem;
  return html`<${Header} ...${state} />
    ${alert !== '' && html`<p class="bar banner bad" role="alert">${alert}</p>`}
    ${shown?.replies.map((reply) => html`<${Armed} key=${reply.id} reply=${reply} />`)}
    <main class=${view.id === null ? '' : 'reading'}>
      ${isEmpty && service ? html`<${Welcome} service=${service} />` : html`<${List} ...${state} shown=${own} /><${Detail} ...${state} shown=${own} />`}
    </main>
    <${Dialogs} ...${state} />`;
}

const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** @param {State} properties */
function Header({ view, shown, connection }) {
  const { overview, delivery } = shown ?? {};
  const link = (/** @type {ListName} */ list, /** @type {string} */ name, /** @type {number | undefined} */ number) =>
    html`<a href=${`#/${list}`} aria-current=${view.list === list ? 'page' : 'false'}>${name} <small>${number === undefined ? '' : COMPACT.format(number)}</small></a>`;
  const command = (/** @type {DialogName} */ dialog, /** @type {unknown} */ text) =>
    html`<button type="button" popovertarget="menu" popovertargetaction="hide" onClick=${() => set({ dialog })}>${text}</button>`;
  return html`<header>
    <h1><img src="/sandbox/page/icon.svg" alt="" width="26" height="26" /> <span>Messaging sandbox</span></h1>
    <p id="connection" class=${connection === 'live' ? 'good' : 'warn'} role="status"><span>${connection === 'lost' ? 'offline' : connection}</span></p>
    <nav aria-label="Lists">
      ${link('sent', 'Sent', overview?.messages)}${link('received', 'Received', overview?.received)}${link('requests', 'Requests', undefined)}
    </nav>
    <button type="button" popovertarget="menu" aria-label="Menu"><span>Menu</span> ☰</button>
    <div id="menu" popover="auto">
      ${command('delivery', html`Delivery <b class=${delivery?.enabled ? 'good' : 'soft'}>${delivery?.enabled ? 'on' : 'off'}</b>`)}
      ${command('receive', 'Receive a message')}${command('reply', 'Arm a reply')}${command('reset', 'Reset')}
      <p class="soft">
        Credit ${BigInt(overview?.credit ?? 0).toLocaleString()}<br />
        <a href="/soap/v1.asmx" title="The endpoint of the service">${overview?.endpoint.replace(/^https?:\/\//, '')}</a>
      </p>
    </div>
  </header>`;
}

/** @param {{ reply: ReplyJson }} properties */
function Armed({ reply }) {
  const disarm = () => ask(`/sandbox/replies/${reply.id}`, 'DELETE').catch(showProblem);
  return html`<p class="bar banner warn">
    <${Own} text=${`Armed: ${describeReply(reply)}`} />
    <button type="button" class="chip" onClick=${disarm}>Disarm</button>
  </p>`;
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
