// @ts-check
import { ask, listen } from './api.mjs';
import { App } from './app.mjs';
import { html, render } from './htm.mjs';
import { moveFocus } from './list.mjs';
import { followAddress, load, loadSoon, open, set, showProblem, startDrawing, state, wide } from './state.mjs';

// The page of the sandbox. It uses the control interface and its events only, and never interprets text as markup.

/** @param {KeyboardEvent} event */
function onKey(event) {
  const { key, target } = event;
  if (document.querySelector('dialog[open], :popover-open') !== null) return;
  if (key === 'Escape' && state.view.id !== null) open(null);
  if (target instanceof Element && target.matches('input, textarea, select')) return;
  if (key === '/') {
    event.preventDefault();
    document.getElementById('search')?.focus();
  } else if (!event.defaultPrevented) moveFocus(event);
}

startDrawing(() => render(html`<${App} ...${state} />`, document.body));
ask('/sandbox/page/service.json').then((service) => set({ service }), showProblem);
listen(loadSoon, (connection) => set({ connection, ...(connection === 'live' && { problem: '' }) }));
document.addEventListener('keydown', onKey);
addEventListener('popstate', followAddress);
wide.addEventListener('change', load);
setInterval(() => document.hidden || set({ now: Date.now() }), 1000);
