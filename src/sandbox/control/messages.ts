import { describeText } from '../../messages/describe-text';
import { readNamed, refuseValue } from '../../options/table';
import type { HttpResponse } from '../http';
import type { SentMessage } from '../store/changes';
import type { SandboxEvent, SandboxState } from '../store/state';
import type { ControlRequest } from './control-request';
import {
  jsonResponse,
  jsonTextResponse,
  messageJson,
  NO_CONTENT,
  problem,
  requestJson,
  undoable,
  writeJson,
} from './json';
import { listResponse, matcherOf } from './lists';
import { type Filter, filterParameters, parameters, readParameters } from './parameters';

// The sent messages of the control interface.

const { status, call, limit, before, wait } = parameters;

/** The number of messages in each status. */
export function countStatuses(messages: Iterable<SentMessage>): Readonly<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (const { record } of messages) statuses[record.status] = (statuses[record.status] ?? 0) + 1;
  return statuses;
}

/** Finds messages by what they are, and by their status and call. */
function sentMatcherOf(
  filter: Filter & { readonly status?: number | undefined; readonly call?: bigint | undefined },
): (message: SentMessage) => boolean {
  const matches = matcherOf(filter);
  return ({ record, call }) =>
    record.status === (filter.status ?? record.status) && call === (filter.call ?? call) && matches(record);
}

export function listSent(
  state: SandboxState,
  { query, response }: ControlRequest,
): HttpResponse | Promise<HttpResponse> {
  const given = readParameters(query, { ...filterParameters, status, call, limit, before, wait });
  const matches = sentMatcherOf(given);
  const found = () => state.sent.all().filter(matches);
  const respond = (messages = found()) => {
    const counts = { found: messages.length, statuses: countStatuses(messages) };
    const write = (message: SentMessage) => writeJson(messageJson(message));
    return listResponse('messages', messages, given, ({ record }) => record.messageid, write, counts);
  };
  const messages = found();
  if (given.wait === 0 || messages.length > 0) return respond(messages);
  // Responds as soon as a message matches, also by its status, and after a time without one.
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer);
      state.listeners.delete(listener);
    };
    const finish = (): void => {
      stop();
      resolve(respond());
    };
    const listener = (event: SandboxEvent): void => {
      const changed = changedMessage(state, event);
      if (changed === undefined || !matches(changed)) return;
      stop();
      // The other messages of the same call are sent by then.
      queueMicrotask(finish);
    };
    const timer = setTimeout(finish, given.wait);
    state.listeners.add(listener);
    response.on('close', stop);
  });
}

/** The message that an event has added or changed. */
function changedMessage({ sent }: SandboxState, event: SandboxEvent): SentMessage | undefined {
  if (event.t === 'status') return sent.find(event.messageid);
  return event.t === 'sent' || event.t === 'restored' ? sent.find(event.record.messageid) : undefined;
}

/** Lists the calls that have sent what is found, newest first. The messages of a call follow each other. */
export function listCalls({ sent }: SandboxState, { query }: ControlRequest): HttpResponse {
  const given = readParameters(query, { ...filterParameters, status, limit, before });
  const matches = sentMatcherOf(given);
  const calls: SentMessage[][] = [];
  for (const message of sent.all()) {
    const last = calls.at(-1);
    if (last?.[0]?.call === message.call) last.push(message);
    else calls.push([message]);
  }
  const write = (messages: readonly SentMessage[]): string | false => {
    const found = messages.filter(matches);
    const [first] = found;
    if (first === undefined) return false;
    const cost = messages.reduce((sum, { record }) => sum + record.cost, 0);
    const { operation, call: id, record } = messages[0] as SentMessage;
    const facts = { id, operation, date: record.date, sender: record.sender, messages: messages.length, cost };
    return writeJson({ ...facts, statuses: countStatuses(messages), found: found.length, first: messageJson(first) });
  };
  return listResponse('calls', calls, given, ([first]) => (first as SentMessage).call, write);
}

/** Shows a message with the facts that its record lacks. */
export function showMessage(
  { sent, requestLog, mask }: SandboxState,
  { ids: [id = ''] }: ControlRequest,
): HttpResponse {
  const message = sent.find(parseId(id));
  if (message === undefined) return unknownMessage(id);
  const { operation, mode, call, record } = message;
  const { encoding, characters, units, parts } = describeText(record.message ?? '');
  const request = requestLog.requestOf(call);
  const facts = writeJson({ ...messageJson(message), operation, mode, encoding, characters, units, parts });
  // The API key is masked in the exchange only: the text of a message may have its letters.
  const exchange = request ? writeJson(requestJson(request), mask) : 'null';
  return jsonTextResponse(200, `${facts.slice(0, -1)},"request":${exchange}}`);
}

/** Removes the messages found. An empty parameter, which may be an unset variable, removes nothing. */
export function removeMessages(state: SandboxState, { query }: ControlRequest): HttpResponse {
  const matches = sentMatcherOf(readParameters(query, { ...filterParameters, status, call }));
  const given = [...new URLSearchParams(query)];
  const [empty] = given.find(([, value]) => value === '') ?? (given.length === 0 ? ['search'] : []);
  if (empty !== undefined) {
    const others = 'DELETE /sandbox removes everything, DELETE /sandbox/messages/ID one message';
    readNamed(empty, () => refuseValue(`missing or empty; ${others}`));
  }
  const messages = state.sent.all().filter(matches);
  const response = jsonResponse(200, { removed: messages.length });
  return messages.length === 0 ? response : remove(state, messages, response);
}

export function removeMessage(state: SandboxState, { ids: [id = ''] }: ControlRequest): HttpResponse {
  const message = state.sent.find(parseId(id));
  return message === undefined ? unknownMessage(id) : remove(state, [message], NO_CONTENT);
}

function remove(state: SandboxState, messages: readonly SentMessage[], response: HttpResponse): HttpResponse {
  state.commit([{ t: 'removed', messageids: messages.map(({ record }) => record.messageid) }]);
  return undoable(state.lastChange, response, () => {
    state.restore(messages);
    return true;
  });
}

export function setStatus(state: SandboxState, { ids: [id = ''], json }: ControlRequest): HttpResponse {
  const before = state.sent.find(parseId(id));
  const after = state.setStatus(parseId(id), json);
  if (before === undefined || after === undefined) return unknownMessage(id);
  return undoable(state.lastChange, jsonResponse(200, messageJson(after)), () => {
    // A program may have changed the message since.
    const isSame = state.sent.find(after.record.messageid) === after;
    if (isSame) state.restore([before]);
    return isSame;
  });
}

/** The id in a path; 0, which no message has, for anything else. */
function parseId(text: string): bigint {
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

function unknownMessage(id: string): HttpResponse {
  return problem(404, `no message has the id ${id}`);
}
