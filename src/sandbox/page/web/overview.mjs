// @ts-check
/** @import { OverviewJson, ReplyJson, ServiceJson } from './records' */
import { onClick, soon } from './actions.mjs';
import { ask } from './api.mjs';
import { byId, make } from './dom.mjs';
import { codeBlock, ownText } from './parts.mjs';

// The counts of the header, the armed replies, and the commands that send a first message.

export async function loadOverview() {
  const { messages, received, credit, endpoint } = /** @type {OverviewJson} */ (await ask('/sandbox'));
  byId('sent-count', HTMLElement).textContent = messages.toLocaleString();
  byId('received-count', HTMLElement).textContent = received.toLocaleString();
  byId('credit', HTMLElement).textContent = credit.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  byId('endpoint', HTMLElement).textContent = endpoint;
}

export const loadOverviewSoon = soon(loadOverview, 300);

/** @type {Record<string, string>} */
const TITLES = { cli: 'From a terminal', curl: 'From any language, as SOAP 1.1' };

export async function loadExamples() {
  const { examples, statuses } = /** @type {ServiceJson} */ (await ask('/sandbox/page/service.json'));
  const options = statuses.map(([value, label]) => make('option', { value: String(value), label }));
  byId('statuses', HTMLElement).replaceChildren(...options);
  for (const [name, text] of Object.entries(examples)) {
    const element = byId(`welcome-${name}`, HTMLElement);
    // A new block would lose the selection of a user who is copying.
    if (element.querySelector('pre')?.textContent !== text)
      element.replaceChildren(codeBlock(text, TITLES[name] ?? name));
  }
}

export async function loadReplies() {
  const { replies } = /** @type {{ replies: ReplyJson[] }} */ (await ask('/sandbox/replies'));
  byId('armed', HTMLElement).hidden = replies.length === 0;
  byId('replies', HTMLElement).replaceChildren(...replies.map(replyElement));
}

export const loadRepliesSoon = soon(loadReplies, 100);

/** @param {ReplyJson} reply */
function replyElement(reply) {
  const button = make('button', { type: 'button', className: 'small', textContent: 'Disarm' });
  // A reply that was used up meanwhile needs no disarming.
  onClick(button, () => ask(`/sandbox/replies/${reply.id}`, 'DELETE').catch(loadReplies));
  return make('li', {}, ownText(`Armed: ${describeReply(reply)}`), button);
}

/** @param {ReplyJson} armed */
function describeReply({ operation, times, reply }) {
  const often = times === null ? 'always' : times === 1 ? 'once' : `${times} times`;
  const delay = reply.delayMs ? `, after ${reply.delayMs} ms` : '';
  return `${operation === '*' ? 'Any operation' : operation} → ${describeContent(reply)}${delay}, ${often}`;
}

/** @param {ReplyJson['reply']} reply */
function describeContent({ fault, result, status, http, drop }) {
  if (fault !== undefined) return `fault ${fault.code}: ${fault.reason}`;
  if (result !== undefined) return 'a given result';
  if (status !== undefined) return `status ${status}`;
  if (http !== undefined) return `HTTP ${http.status}`;
  return drop === undefined ? "the service's own response" : `connection dropped ${drop} the operation`;
}
