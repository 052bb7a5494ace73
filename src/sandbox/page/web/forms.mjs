// @ts-check
/** @import { ServiceJson } from './records' */
import { onSubmit, showProblem } from './actions.mjs';
import { ask } from './api.mjs';
import { byId, fieldIn, make } from './dom.mjs';
import { showList } from './list.mjs';

// The dialogs: receive a message, arm a reply, delete what a search finds, reset.

const receiveForm = byId('receive-form', HTMLFormElement);
const replyForm = byId('reply-form', HTMLFormElement);
const search = byId('search', HTMLInputElement);

export function startForms() {
  for (const button of document.querySelectorAll('button[data-dialog]')) {
    button.addEventListener('click', () => openDialog(button));
  }
  for (const button of document.querySelectorAll('button[data-close]')) {
    button.addEventListener('click', () => button.closest('dialog')?.close());
  }
  onSubmit(receiveForm, async () => {
    const [sender, receptor, message] = ['sender', 'receptor', 'message'].map(
      (name) => fieldIn(receiveForm, name).value,
    );
    await ask('/sandbox/received', 'POST', { sender, receptor, message });
    fieldIn(receiveForm, 'message').value = '';
    await showList('received');
  });
  onSubmit(replyForm, async () => {
    const operation = fieldIn(replyForm, 'operation').value;
    const isEndless = byId('always', HTMLInputElement).checked;
    const times = isEndless ? null : Number(fieldIn(replyForm, 'times').value);
    await ask('/sandbox/replies', 'POST', { operation, times, reply: readReply() });
  });
  onSubmit(byId('remove-form', HTMLFormElement), () =>
    ask(`/sandbox/messages?${new URLSearchParams({ search: search.value })}`, 'DELETE'),
  );
  onSubmit(byId('reset-form', HTMLFormElement), () => ask('/sandbox', 'DELETE'));
  fieldIn(replyForm, 'kind').addEventListener('change', showKind);
  showKind();
}

/** @param {Element} button */
function openDialog(button) {
  const id = button.getAttribute('data-dialog') ?? '';
  byId(id, HTMLDialogElement).showModal();
  byId('remove-search', HTMLElement).textContent = search.value;
  if (id === 'reply-dialog') loadOperations().catch(showProblem);
}

/** Adds the operations of the contract to the form when they are first needed. */
async function loadOperations() {
  const operation = fieldIn(replyForm, 'operation');
  if (operation.childElementCount > 1) return;
  const { operations } = /** @type {ServiceJson} */ (await ask('/sandbox/page/service.json'));
  operation.append(...operations.map((name) => make('option', { value: name, textContent: name })));
}

/** Shows the fields of the chosen kind of reply. */
function showKind() {
  const kind = fieldIn(replyForm, 'kind').value;
  for (const part of replyForm.querySelectorAll('fieldset')) part.hidden = part.dataset.kind !== kind;
}

/** @returns {object} */
function readReply() {
  /** @param {string} name */
  const valueIn = (name) => fieldIn(replyForm, name).value;
  const kind = valueIn('kind');
  /** @type {Record<string, () => object>} */
  const contents = {
    fault: () => ({ fault: { code: valueIn('code'), reason: valueIn('reason') } }),
    status: () => ({ status: Number(valueIn('status')), statusmessage: valueIn('statusmessage') }),
    http: () => ({ http: { status: Number(valueIn('http-status')), body: valueIn('body') } }),
    drop: () => ({ drop: valueIn('drop') }),
  };
  const delayMs = Number(valueIn('delayMs'));
  return { ...contents[kind]?.(), ...((delayMs > 0 || kind === 'delay') && { delayMs }) };
}
