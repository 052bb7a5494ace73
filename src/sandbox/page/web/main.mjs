// @ts-check
import { ask, listen } from './api.mjs';
import { Detail } from './detail.mjs';
import { keepFocus } from './focus.mjs';
import { Header } from './header.mjs';
import { html, render } from './htm.mjs';
import { Alert, ArmedReplies, Done } from './lines.mjs';
import { List } from './list.mjs';
import { keepLoading, loadSoon } from './load.mjs';
import { page, set, showProblem, state } from './state.mjs';
import { isFiltered, show, shownId } from './view.mjs';
import { NothingReceived, NothingSent } from './welcome.mjs';

// The page of the sandbox. It uses the control interface and its events only, and never interprets text as markup.

let isDrawing = false;
let isOld = false;
page.draw = () => {
  isOld = true;
  // A drawing may move the focus, which changes the state. Preact cannot draw within a drawing.
  if (isDrawing) return;
  isDrawing = true;
  try {
    while (isOld) {
      isOld = false;
      render(html`<${App} />`, document.body);
    }
  } finally {
    isDrawing = false;
  }
  keepFocus();
};
keepLoading();
ask('/sandbox/page/service.json').then((service) => set({ service }), showProblem);
listen(
  () => loadSoon(),
  // Each event says again that the connection is live, and a problem stays in sight meanwhile.
  (connection) => connection !== state.connection && set({ connection, problem: '' }),
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
  const { view, overview, rows, replies, dialog } = state;
  const id = shownId();
  const isEmpty = id === '' && rows?.length === 0 && !isFiltered();
  const welcome = {
    sent: overview.messages === 0 && NothingSent,
    received: overview.received === 0 && NothingReceived,
    requests: false,
  };
  const start = isEmpty && welcome[view.list];
  return html`<${Header} />
    <${Alert} />
    ${replies.length > 0 && html`<${ArmedReplies} />`}
    <main class=${view.id === '' ? '' : 'reading'}>
      ${start ? html`<${start} />` : html`<${List} />`}
      ${id !== '' && html`<${Detail} key=${`${view.list}/${id}`} id=${id} />`}
    </main>
    <${Done} />
    ${dialog !== null && html`<${dialog} />`}`;
}
