// @ts-check
/** @import { ReplyJson } from './records' */
import { attempt, undo } from './acts.mjs';
import { html } from './htm.mjs';
import { UserText } from './parts.mjs';
import { set, state } from './state.mjs';

// The lines around the list: what went wrong, which replies are armed, and what was done last.

export function Alert() {
  const { connection, problem } = state;
  const lost =
    'The sandbox does not respond. It was stopped, or the connection to it is broken. ' +
    'The page shows what it knows, and connects again by itself.';
  const alert = connection === 'lost' ? lost : problem;
  return alert !== '' && html`<p class="alert" role="alert">${alert}</p>`;
}

/** One line, however many replies are armed: they must not take the place of the list. */
export function ArmedReplies() {
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
  const words = describeReply(reply);
  const disarm = () => attempt(`This reply was disarmed: ${words}.`, `/sandbox/replies/${reply.id}`, 'DELETE');
  return html`<p class="armed">
    <span title=${words}><${UserText} text=${`Armed: ${words}`} /></span>
    <button type="button" onClick=${disarm}>Disarm</button>
  </p>`;
}

/** Describes a reply with the names of the control interface. @param {ReplyJson} armed */
function describeReply({ operation, times, receptor, message, reply }) {
  const content = Object.entries(reply).map(([name, value]) => `${name} ${textOf(value)}`);
  const often = times === null ? 'always' : times === 1 ? 'once' : `${times} times`;
  const parts = Object.entries({ receptor, message }).flatMap(([name, part]) => (part ? `${name} with ${part}` : []));
  return `${[operation === '*' ? 'Any operation' : operation, ...parts].join(', ')} → ${[...content, often].join(', ')}`;
}

/** @param {unknown} value @returns {string} */
function textOf(value) {
  return value && typeof value === 'object' ? Object.values(value).map(textOf).join(': ') : String(value);
}

/** What the user has done last. The line is always there, so that a screen reader tells of its words. */
export function Done() {
  const { done } = state;
  return html`<div id="done" role="status">
    ${
      done !== null &&
      html`<p><${UserText} text=${done.words} /></p>
      ${done.undo !== '' && html`<button type="button" onClick=${undo}>Undo</button>`}
      <button type="button" onClick=${() => set({ done: null })}>Close</button>`
    }
  </div>`;
}
