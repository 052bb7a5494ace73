// @ts-check
/** @import { SandboxDelivery } from '../../store/delivery' */
import { act } from './acts.mjs';
import { closeDialog } from './focus.mjs';
import { html, useLayoutEffect, useRef, useState } from './htm.mjs';
import { UserText } from './parts.mjs';
import { state } from './state.mjs';
import { show } from './view.mjs';

// The dialogs. Each sends what its form holds, and shows why the sandbox refused it.

/** @typedef {Record<string, string>} Values the values of a form by the names of its fields */
/** @typedef {(values: Values) => Promise<unknown>} Send */

/**
 * A dialog with a form. Its buttons stay in sight while its fields scroll.
 *
 * @param {{ title: string, submit: string, isDanger?: boolean, send: Send, children?: unknown }} properties
 */
function Dialog({ title, submit, send, isDanger = false, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [problem, setProblem] = useState('');
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  const onSubmit = (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault();
    const values = /** @type {Values} */ (Object.fromEntries(new FormData(event.currentTarget)));
    send(values).then(close, (error) => setProblem(error.message));
  };
  return html`<dialog ref=${dialog} aria-label=${title} onClose=${closeDialog}>
    <form onSubmit=${onSubmit}>
      <h2>${title}</h2>
      <div class="fields">${children}</div>
      <p class="bad" role="alert">${problem}</p>
      <div class="bar">
        <button type="button" onClick=${close}>Cancel</button>
        <button type="submit" class=${isDanger ? 'main bad' : 'main'}>${submit}</button>
      </div>
    </form>
  </dialog>`;
}

/** @param {{ sender?: string, receptor?: string }} properties what the form begins with */
export function Receive({ sender = '09120000001', receptor = '3000' } = {}) {
  const send = async (/** @type {Values} */ values) => {
    const words = `A message from ${values.sender} to line ${values.receptor} was received.`;
    await act(words, '/sandbox/received', 'POST', values);
    const id = [values.receptor ?? '', values.sender ?? ''].map(encodeURIComponent).join('/');
    show({ list: 'received', id, search: '' });
  };
  return html`<${Dialog} title="Receive a message" submit="Receive" send=${send}>
    <p>The message is unread until ReceiveByApikey returns it.</p>
    <label>From <input name="sender" defaultValue=${sender} dir="auto" required /></label>
    <label>To the line <input name="receptor" defaultValue=${receptor} dir="auto" required /></label>
    <label>Text <textarea name="message" rows="4" dir="auto" required></textarea></label>
  <//>`;
}

/**
 * The kinds of replies, as the control interface takes them, with values to begin with.
 *
 * @type {Record<string, Record<string, string | number | Record<string, string | number>>>}
 */
const REPLIES = {
  'a SOAP fault': { fault: { code: 'Server', reason: 'out of order' } },
  'another status': { status: 418, statusmessage: 'refused' },
  'raw HTTP': { http: { status: 503, body: '' } },
  'a dropped connection, before or after the operation': { drop: 'after' },
  "the service's own response, late": { delayMs: 3000 },
};

export function Reply() {
  const [kind, setKind] = useState('a SOAP fault');
  const template = REPLIES[kind] ?? {};
  const fields = Object.entries(template).flatMap(([name, value]) =>
    typeof value === 'object' ? Object.entries(value) : [[name, value]],
  );
  const send = (/** @type {Values} */ { operation, times, ...values }) => {
    const reply = JSON.parse(JSON.stringify(template), (name, value) => {
      if (typeof value === 'object') return value;
      return typeof value === 'number' ? Number(values[name]) : values[name];
    });
    const words = `A reply to ${operation === '*' ? 'any operation' : operation} was armed.`;
    return act(words, '/sandbox/replies', 'POST', { operation, times: times === '' ? null : Number(times), reply });
  };
  return html`<${Dialog} title="Arm a reply" submit="Arm" send=${send}>
    <p>The next requests get this reply in place of the service's own response.</p>
    <label>Operation <select name="operation">
      <option value="*">any operation</option>
      ${state.service.operations.map((name) => html`<option value=${name}>${name}</option>`)}
    </select></label>
    <label>Reply <select name="kind" value=${kind} onChange=${(/** @type {any} */ event) => setKind(event.currentTarget.value)}>
      ${Object.keys(REPLIES).map((name) => html`<option value=${name}>${name}</option>`)}
    </select></label>
    <fieldset key=${kind}>
      ${fields.map(
        ([name, value]) => html`<label>${name} <input name=${name} type=${typeof value === 'number' ? 'number' : 'text'}
          defaultValue=${value} required=${typeof value === 'number'} dir="auto" /></label>`,
      )}
    </fieldset>
    <label>Times (empty: always) <input name="times" type="number" min="1" defaultValue="1" /></label>
  <//>`;
}

export function Delivery() {
  const { enabled, steps, receptors } = state.delivery;
  const send = async (/** @type {Values} */ values) => {
    const isOn = values.enabled !== undefined;
    await act(`The simulated delivery is ${isOn ? 'on' : 'off'}.`, '/sandbox/delivery', 'PUT', {
      steps,
      receptors,
      enabled: isOn,
    });
    const seconds = Number(values.seconds);
    if (seconds === 0) return;
    await act(`The simulated delivery was moved ahead by ${seconds} s.`, '/sandbox/delivery/advance', 'POST', {
      ms: seconds * 1000,
    });
  };
  return html`<${Dialog} title="Simulated delivery" submit="Apply" send=${send}>
    <label class="check"><input name="enabled" type="checkbox" defaultChecked=${enabled} /> Messages change their status by themselves</label>
    <p>The time counts from the time of sending. A status that you set by hand stays.
      All messages that were sent take the steps that are due, which cannot be undone.</p>
    <dl>
      ${receptors.map((rule) => html`<dt>…<${UserText} text=${rule.endsWith} /></dt><dd>${describeRule(rule)}</dd>`)}
      <dt>any other</dt><dd>${describeRule({ steps })}</dd>
    </dl>
    <label>Seconds to move ahead
      <input name="seconds" type="number" min="0" max="2000000" step="any" defaultValue="0" required /></label>
  <//>`;
}

/** @param {Partial<SandboxDelivery['receptors'][number]>} rule */
function describeRule({ steps, refuse }) {
  if (steps === undefined) return `the whole call is refused with status ${refuse}`;
  const texts = steps.map((step) => `${step.status} ${step.statustext ?? ''} after ${step.afterMs / 1000} s`);
  return html`<${UserText} text=${texts.join(', ') || 'no change'} />`;
}

export function Reset() {
  const send = () => act('The sandbox was reset.', '/sandbox', 'DELETE');
  return html`<${Dialog} title="Reset the sandbox?" submit="Reset" isDanger send=${send}>
    <p>This removes all messages, received messages, armed replies and requests. Ids and credit start again. It cannot be undone.</p>
  <//>`;
}
