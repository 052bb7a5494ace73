// @ts-check
/** @import { ReplyJson } from './records' */
import { ask, listen } from './api.mjs';
import { Detail } from './detail.mjs';
import { Delivery, Receive, Reply, Reset } from './forms.mjs';
import { html, render } from './htm.mjs';
import { List } from './list.mjs';
import { Code, UserText, Word } from './parts.mjs';
import { isFiltered, keepLoading, loadSoon, page, set, show, shownId, showProblem, state } from './state.mjs';

// The page of the sandbox. It uses the control interface and its events only, and never interprets text as markup.

page.draw = () => render(html`<${App} />`, document.body);
keepLoading();
ask('/sandbox/page/service.json').then((service) => set({ service }), showProblem);
listen(
  () => loadSoon(),
  (connection) => set({ connection, problem: '' }),
);
document.addEventListener('keydown', onKey);
setInterval(() => document.hidden || set({ now: Date.now() }), 1000);

/** @param {KeyboardEvent} event */
function onKey(event) {
  const { key, target } = event;
  if (document.querySelector('dialog[open], :popover-open') !== null) return;
  // Escape in the search empties it.
  if (target instanceof Element && target.matches('input')) return;
  if (key === 'Escape' && state.view.id !== '') show({ id: '' });
  if (key !== '/') return;
  event.preventDefault();
  document.getElementById('search')?.focus();
}

function App() {
  const { view, overview, rows, replies, connection, problem, dialog } = state;
  const id = shownId();
  const isEmpty = id === '' && rows?.length === 0 && !isFiltered(view);
  const welcome = {
    sent: overview.messages === 0 && Welcome,
    received: overview.received === 0 && NothingReceived,
    requests: false,
  };
  const start = isEmpty && welcome[view.list];
  const lost =
    'The sandbox does not respond. It was stopped, or the connection to it is broken. ' +
    'The page shows what it knows, and connects again by itself.';
  const alert = connection === 'lost' ? lost : problem;
  return html`<${Header} />
    ${alert !== '' && html`<p class="alert" role="alert">${alert}</p>`}
    ${replies.length > 0 && html`<${ArmedReplies} />`}
    <main class=${view.id === '' ? '' : 'reading'}>
      ${start ? html`<${start} />` : html`<${List} />`}
      ${id !== '' && html`<${Detail} key=${`${view.list}/${id}`} id=${id} />`}
    </main>
    ${dialog !== null && html`<${dialog} />`}`;
}

function Header() {
  const { view, overview, delivery, connection } = state;
  const link = (/** @type {string} */ list, /** @type {string} */ name, /** @type {number | undefined} */ number) => {
    const text = number?.toLocaleString(undefined, { notation: 'compact' });
    return html`<a href=${`#/${list}`} aria-current=${view.list === list ? 'page' : 'false'}>${name} <span>${text}</span></a>`;
  };
  const command = (/** @type {() => object} */ dialog, /** @type {unknown} */ text) =>
    html`<button type="button" popovertarget="menu" popovertargetaction="hide" onClick=${() => set({ dialog })}>${text}</button>`;
  return html`<header>
    <h1>Messaging sandbox</h1>
    <nav aria-label="Lists">
      ${link('sent', 'Sent', overview.messages)}${link('received', 'Received', overview.received)}${link('requests', 'Requests', undefined)}
    </nav>
    <p id="connection" class=${connection === 'live' ? 'good' : 'bad'} role="status"><span>${connection === 'lost' ? 'offline' : connection}</span></p>
    <button type="button" class="word" popovertarget="menu">Menu</button>
    <div id="menu" popover="auto">
      ${command(Delivery, html`Delivery <span class="quiet">${delivery.enabled ? 'on' : 'off'}</span>`)}
      ${command(Receive, 'Receive a message')}${command(Reply, 'Arm a reply')}${command(Reset, 'Reset')}
      <p class="quiet">
        Credit ${BigInt(overview.credit).toLocaleString()}<br />
        <a href="/soap/v1.asmx" title="The endpoint of the service">${overview.endpoint.replace(/^https?:\/\//, '')}</a>
      </p>
    </div>
  </header>`;
}

/** One line, however many replies are armed: they must not take the place of the list. */
function ArmedReplies() {
  const { replies } = state;
  const [only] = replies;
  if (only && replies.length === 1) return html`<${Armed} reply=${only} />`;
  return html`<details class="armed">
    <summary>Armed: ${replies.length} replies</summary>
    ${replies.map((reply) => html`<${Armed} key=${reply.id} reply=${reply} />`)}
  </details>`;
}

/** @param {{ reply: ReplyJson }} properties */
function Armed({ reply }) {
  const disarm = () => ask(`/sandbox/replies/${reply.id}`, 'DELETE').catch(showProblem);
  return html`<p class="armed">
    <span title=${describeReply(reply)}><${UserText} text=${`Armed: ${describeReply(reply)}`} /></span>
    <${Word} onClick=${disarm}>Disarm<//>
  </p>`;
}

/** Describes a reply with the names of the control interface. @param {ReplyJson} armed */
function describeReply({ operation, times, reply }) {
  const content = Object.entries(reply).map(([name, value]) => `${name} ${textOf(value)}`);
  const often = times === null ? 'always' : times === 1 ? 'once' : `${times} times`;
  return `${operation === '*' ? 'Any operation' : operation} → ${content.join(', ')}, ${often}`;
}

/** @param {unknown} value @returns {string} */
function textOf(value) {
  return value && typeof value === 'object' ? Object.values(value).map(textOf).join(': ') : String(value);
}

function NothingReceived() {
  return html`<section id="welcome" aria-label="How to receive the first message">
    <h2>Nothing was received yet</h2>
    <p>Put a message in, as if a phone had sent it to one of your lines. A program gets it with ReceiveByApikey.</p>
    <p><button type="button" class="main" onClick=${() => set({ dialog: Receive })}>Receive a message</button></p>
    <${Code} title="From any language" text=${state.service.examples.receive} />
  </section>`;
}

function Welcome() {
  const { cli, curl } = state.service.examples;
  return html`<section id="welcome" aria-label="How to send the first message">
    <h2>Nothing was sent yet</h2>
    <p>Every message that a program sends to this sandbox appears here at once. The sandbox sends nothing to anyone.</p>
    <${Code} title="From a terminal" text=${cli} />
    <${Code} title="From any language, as SOAP 1.1" text=${curl} />
    <p>The <a href="/soap/v1.asmx?wsdl">WSDL</a> and the <a href="/soap/v1.asmx">list of operations</a> describe the rest.
      Tests control the sandbox over HTTP under <a href="/sandbox"><code>/sandbox</code></a>.</p>
  </section>`;
}
