// @ts-check
import { ask, listen } from './api.mjs';
import { App } from './app.mjs';
import { html, render } from './htm.mjs';
import { followAddress, keepLoading, load, loadSoon, page, set, show, showProblem, state, wide } from './state.mjs';

// The page of the sandbox. It uses the control interface and its events only, and never interprets text as markup.

/** @param {KeyboardEvent} event */
function onKey(event) {
  const { key, target } = event;
  if (document.querySelector('dialog[open], :popover-open') !== null) return;
  if (key === 'Escape' && state.view.id !== '') show({ id: '' });
  if (key !== '/' || (target instanceof Element && target.matches('input'))) return;
  event.preventDefault();
  document.getElementById('search')?.focus();
}

page.draw = () => render(html`<${App} />`, document.body);
keepLoading();
ask('/sandbox/page/service.json').then((service) => set({ service }), showProblem);
listen(
  () => loadSoon(),
  (connection) => set({ connection, problem: '' }),
);
document.addEventListener('keydown', onKey);
addEventListener('popstate', followAddress);
wide.addEventListener('change', () => load());
setInterval(() => document.hidden || set({ now: Date.now() }), 1000);
