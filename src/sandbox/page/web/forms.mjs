// @ts-check
/** @import { SandboxDelivery } from '../../store/delivery' */
/** @import { DialogName, State } from './records' */
import { ask } from './api.mjs';
import { html, useLayoutEffect, useRef, useState } from './htm.mjs';
import { Own } from './parts.mjs';
import { queryOf, set, showProblem, state } from './state.mjs';

// The dialogs. Each sends what its form holds, and shows why the sandbox refused it.

/** @param {State} properties */
export function Dialogs({ dialog, shown }) {
  return dialog !== null && shown !== null && html`<${dialogs[dialog]} ...${state} key=${dialog} />`;
}

/** @type {Record<DialogName, (properties: State) => unknown>} */
const dialogs = { receive: Receive, reply: Reply, delivery: Delivery, remove: Remove, reset: Reset };

/** @typedef {Record<string, string>} Values the values of a form by the names of its fields */

/**
 * A dialog with a form. Its buttons stay in sight while its fields scroll.
 *
 * @typedef {{ title: string, submit: string, cancel?: string, isDanger?: boolean, children?: unknown }} Parts
 * @param {Parts & { send: (values: Values) => Promise<unknown>, isKept?: boolean }} properties `isKept` keeps it open
 */
function Dialog({ title, submit, cancel = 'Cancel', send, isDanger = false, isKept = false, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [problem, setProblem] = useState('');
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  const onSubmit = (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault();
    const values = /** @type {Values} */ (Object.fromEntries(new FormData(event.currentTarget)));
    const done = () => (isKept ? setProblem('') : close());
    send(values).then(done, (error) => setProblem(error.message));
  };
  return html`<dialog ref=${dialog} aria-label=${title} onClose=${() => set({ dialog: null })}>
    <form onSubmit=${onSubmit}>
      <h2>${title}</h2>
      <div class="fields">${children}</div>
      <p class="bad" role="alert">${problem}</p>
      <div class="bar">
        <button type="button" onClick=${close}>${cancel}</button>
        <button type="submit" class=${isDanger ? 'bad' : ''}>${submit}</button>
      </div>
    </form>
  </dialog>`;
}

function Receive() {
  const send = async (/** @type {Values} */ values) => {
    await ask('/sandbox/received', 'POST', values);
    location.hash = '#/received';
  };
  return html`<${Dialog} title="Receive a message" submit="Receive" send=${send}>
    <p>The message is unread until ReceiveByApikey returns it.</p>
    <label>From <input name="sender" defaultValue="09120000001" dir="auto" required /></label>
    <label>To the line <input name="receptor" defaultValue="3000" dir="auto" required /></label>
    <label>Text <textarea name="message" rows="4" dir="auto" required></textarea></label>
  <//>`;
}

/**
 * The kinds of replies: the name of each, its fields, and how its values become a reply.
 *
 * @type {Record<string, { name: string, fields: () => unknown, read: (values: Values) => object }>}
 */
const REPLIES = {
  fault: {
    name: 'a SOAP fault',
    fields: () => html`<label>Code <input name="code" defaultValue="Server" list="codes" /></label>
      <datalist id="codes"><option value="Server" /><option value="Client" /></datalist>
      <label>Reason <input name="reason" defaultValue="out of order" dir="auto" /></label>`,
    read: ({ code, reason }) => ({ fault: { code, reason } }),
  },
  status: {
    name: 'another status',
    fields: () => html`<label>Status <input name="status" type="number" step="1" defaultValue="418" required /></label>
      <label>Message <input name="statusmessage" defaultValue="refused" dir="auto" /></label>`,
    read: ({ status, statusmessage }) => ({ status: Number(status), statusmessage }),
  },
  http: {
    name: 'raw HTTP',
    fields:
      () => html`<label>HTTP status <input name="status" type="number" min="200" max="999" defaultValue="503" required /></label>
      <label>Body <textarea name="body" rows="3" dir="auto"></textarea></label>`,
    read: ({ status, body }) => ({ http: { status: Number(status), body } }),
  },
  drop: {
    name: 'a dropped connection',
    fields: () => html`<label>When <select name="drop">
      <option value="after">after the operation took effect</option>
      <option value="before">before the operation took effect</option>
    </select></label>`,
    read: ({ drop }) => ({ drop }),
  },
  delay: { name: "the service's own response, late", fields: () => null, read: () => ({}) },
};

/** @param {State} properties */
function Reply({ service }) {
  const [kind, setKind] = useState('fault');
  const send = (/** @type {Values} */ values) => {
    const { operation, times, delayMs } = values;
    const delay = Number(delayMs) > 0 || kind === 'delay' ? { delayMs: Number(delayMs) } : {};
    const reply = { ...REPLIES[kind]?.read(values), ...delay };
    return ask('/sandbox/replies', 'POST', { operation, times: times === '' ? null : Number(times), reply });
  };
  return html`<${Dialog} title="Arm a reply" submit="Arm" send=${send}>
    <p>The next requests get this reply in place of the service's own response.</p>
    <label>Operation <select name="operation">
      <option value="*">any operation</option>
      ${service?.operations.map((name) => html`<option value=${name}>${name}</option>`)}
    </select></label>
    <label>Reply <select name="kind" value=${kind} onChange=${(/** @type {any} */ event) => setKind(event.currentTarget.value)}>
      ${Object.entries(REPLIES).map(([value, { name }]) => html`<option value=${value}>${name}</option>`)}
    </select></label>
    <fieldset key=${kind}>${REPLIES[kind]?.fields()}</fieldset>
    <label>Delay in milliseconds <input name="delayMs" type="number" min="0" step="1" defaultValue="0" required /></label>
    <label>Times (empty: always) <input name="times" type="number" min="1" step="1" defaultValue="1" /></label>
  <//>`;
}

/** @param {State} properties */
function Delivery({ shown }) {
  if (shown === null) return null;
  const { delivery } = shown;
  const onChange = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget: { checked } }) =>
    ask('/sandbox/delivery', 'PUT', { ...delivery, enabled: checked }).catch(showProblem);
  const advance = (/** @type {Values} */ { seconds }) =>
    ask('/sandbox/delivery/advance', 'POST', { ms: Number(seconds) * 1000 });
  return html`<${Dialog} title="Simulated delivery" submit="Move ahead" cancel="Close" send=${advance} isKept>
    <label><input type="checkbox" checked=${delivery.enabled} onChange=${onChange} />
      ${' '}Messages change their status by themselves</label>
    <p>The time counts from the time of sending. A status that you set by hand stays.</p>
    <dl>
      ${delivery.receptors.map(
        ({ endsWith, steps, refuse }) => html`<dt>…<${Own} text=${endsWith} /></dt>
          <dd>${steps ? describeSteps(steps) : `the whole call is refused with status ${refuse}`}</dd>`,
      )}
      <dt>any other</dt><dd>${describeSteps(delivery.steps)}</dd>
    </dl>
    <label>Seconds to move ahead
      <input name="seconds" type="number" min="0" max="2000000" step="any" defaultValue="3" required /></label>
  <//>`;
}

/** @param {SandboxDelivery['steps']} steps */
function describeSteps(steps) {
  const texts = steps.map(
    ({ afterMs, status, statustext }) => `${status} ${statustext ?? ''} after ${afterMs / 1000} s`,
  );
  return html`<${Own} text=${texts.length === 0 ? 'no change' : texts.join(', ')} />`;
}

/** @param {State} properties */
function Remove({ view, service }) {
  const status = new Map(service?.statuses).get(Number(view.status)) ?? view.status;
  return html`<${Dialog} title="Delete the messages that were found?" submit="Delete" isDanger send=${() => ask(`/sandbox/messages?${queryOf({ ...view, before: null })}`, 'DELETE')}>
    <p>This removes every sent message
      ${view.search !== '' && html` that matches “<bdi>${view.search}</bdi>”`}${view.status !== null && ` with the status ${status}`}.
      Credit and ids stay as they are.</p>
  <//>`;
}

function Reset() {
  return html`<${Dialog} title="Reset the sandbox?" submit="Reset" isDanger send=${() => ask('/sandbox', 'DELETE')}>
    <p>This removes all messages, received messages, armed replies and requests. Ids and credit start again.</p>
  <//>`;
}
