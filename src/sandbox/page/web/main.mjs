// @ts-check
/** @import { ListName } from './records' */
import { onClick, showConnection, showProblem, soon } from './actions.mjs';
import { listen } from './api.mjs';
import { startDetail } from './detail.mjs';
import { byId } from './dom.mjs';
import { startForms } from './forms.mjs';
import {
  addItem,
  addRequest,
  deselect,
  hasSelection,
  isShown,
  loadList,
  moveFocus,
  reloadList,
  reloadListSoon,
  returnToList,
  showList,
  updateStatus,
} from './list.mjs';
import { loadExamples, loadOverview, loadOverviewSoon, loadReplies, loadRepliesSoon } from './overview.mjs';

// The page of the sandbox. It uses the control interface and its events only, and never interprets text as markup.

const search = byId('search', HTMLInputElement);

/** Loads everything that the page shows. */
async function reload() {
  await Promise.all([loadOverview(), loadExamples(), loadReplies(), reloadList()]);
}

listen(
  {
    sent(message) {
      loadOverviewSoon();
      addItem('sent', message);
    },
    received(message) {
      loadOverviewSoon();
      addItem('received', message);
    },
    status: updateStatus,
    request(request) {
      loadOverviewSoon();
      addRequest(request);
      // The operation may have marked messages as read.
      if (request.operation === 'ReceiveByApikey' && isShown('received')) reloadListSoon();
    },
    replies: loadRepliesSoon,
    reset() {
      deselect();
      reload().catch(showProblem);
    },
  },
  (isConnected) => {
    showConnection(isConnected ? 'live' : 'the sandbox does not respond', isConnected);
    // No event tells what happened before the connection opened.
    if (isConnected) reload().catch(showProblem);
  },
);

/** @param {KeyboardEvent} event */
function onKey(event) {
  const isTyping = event.target instanceof Element && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (isTyping || document.querySelector('dialog[open]') !== null) return;
  if (event.key === '/') {
    event.preventDefault();
    search.focus();
  } else if (event.key === 'Escape' && hasSelection()) {
    returnToList();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    if (moveFocus(event.key === 'ArrowDown' ? 1 : -1)) event.preventDefault();
  }
}

for (const button of document.querySelectorAll('button[data-list]')) {
  if (button instanceof HTMLElement) {
    onClick(button, () => showList(/** @type {ListName} */ (button.dataset.list)));
  }
}
onClick(byId('more', HTMLElement), () => loadList(true));
byId('back', HTMLElement).addEventListener('click', returnToList);
search.addEventListener('input', soon(loadList, 150));
document.addEventListener('keydown', onKey);
startDetail();
startForms();
showConnection('connecting', false);
