// @ts-check
/** @import { ListName } from './records' */
import { onClick, showConnection, showLost, showProblem, soon } from './actions.mjs';
import { onAddress, writeListAddress } from './address.mjs';
import { listen } from './api.mjs';
import { loadDelivery, loadDeliverySoon, startDelivery } from './delivery.mjs';
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
  removeItems,
  returnToList,
  showAddress,
  showList,
  stopFollowing,
  updateStatus,
} from './list.mjs';
import { loadExamples, loadOverview, loadOverviewSoon, loadReplies, loadRepliesSoon } from './overview.mjs';

// The page of the sandbox. It uses the control interface and its events only, and never interprets text as markup.

const search = byId('search', HTMLInputElement);

/** Loads everything that the page shows. */
async function reload() {
  await Promise.all([loadOverview(), loadExamples(), loadReplies(), loadDelivery(), reloadList()]);
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
    removed({ messageids }) {
      loadOverviewSoon();
      removeItems(messageids);
    },
    delivery: loadDeliverySoon,
    replies: loadRepliesSoon,
    reset() {
      deselect();
      reload().catch(showProblem);
    },
  },
  (isConnected) => {
    showConnection(isConnected ? 'live' : 'offline', isConnected);
    showLost(!isConnected);
    // No event tells what happened before the connection opened.
    if (isConnected) reload().then(showFirst).catch(showProblem);
  },
);

let isFirst = true;

/** Shows what the address named when the page was opened. */
async function showFirst() {
  if (!isFirst) return;
  isFirst = false;
  if (location.hash !== '') await showAddress();
}

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
    onClick(button, () => {
      const name = /** @type {ListName} */ (button.dataset.list);
      writeListAddress(name);
      return showList(name);
    });
  }
}
onClick(byId('more', HTMLElement), () => loadList(true));
byId('back', HTMLElement).addEventListener('click', returnToList);
search.addEventListener('input', soon(loadList, 150));
document.addEventListener('keydown', onKey);
onAddress(() => showAddress().catch(showProblem));
for (const type of ['focusin', 'pointerdown']) byId('detail', HTMLElement).addEventListener(type, stopFollowing);
startDelivery();
startDetail();
startForms();
showConnection('connecting', false);
