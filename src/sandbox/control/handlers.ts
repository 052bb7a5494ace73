import type { ServerResponse } from 'node:http';
import { service } from '../../../generated/operations';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import { version } from '../../internal/version';
import { describeText } from '../../messages/describe-text';
import { readNamed, refuseValue } from '../../options/table';
import type { HttpResponse } from '../http';
import type { KeptReceived, SentMessage } from '../store/changes';
import type { SandboxRequest } from '../store/request-log';
import type { SandboxEvent, SandboxState } from '../store/state';
import { listConversations, showConversation } from './conversations';
import { jsonResponse, jsonTextResponse, messageJson, problem, receivedJson, requestJson, writeJson } from './json';
import { holds, listResponse } from './lists';
import { parameters, readParameters } from './parameters';

const { search, status, line, call, result, limit, before, wait } = parameters;

/** A request to the control interface, after the checks that all routes share. */
export interface ControlRequest {
  /** Without the question mark. */
  readonly query: string;
  /** The parts of the path at the places of ID, LINE and NUMBER. */
  readonly ids: readonly string[];
  /** The parsed body of a POST or PUT. */
  readonly json: unknown;
  /** The origin that the caller used. */
  readonly origin: string;
  /** The response, for a handler that responds later. */
  readonly response: ServerResponse;
}

/** Handles a request. Undefined is a response without content. @throws {WrongValue} when the request is wrong */
export type ControlHandler = (
  state: SandboxState,
  request: ControlRequest,
) => HttpResponse | Promise<HttpResponse> | 'events' | undefined;

/** A handler for each method of each path. ID, LINE and NUMBER are any part of a path. */
export const controlRoutes: Readonly<Record<string, Readonly<Record<string, ControlHandler>>>> = {
  '/sandbox': { GET: showSandbox, DELETE: (state) => void state.reset() },
  '/sandbox/messages': { GET: listMessages, DELETE: removeMessages },
  '/sandbox/calls': { GET: listCalls },
  '/sandbox/messages/ID': { GET: showMessage, DELETE: removeMessage },
  '/sandbox/messages/ID/status': { PUT: setStatus },
  '/sandbox/received': {
    GET: listReceived,
    POST: (state, { json }) => jsonResponse(201, { received: state.receive(json).map(receivedJson) }),
  },
  '/sandbox/replies': {
    GET: ({ replies }) => jsonResponse(200, { replies: replies.list }),
    POST: ({ replies }, { json }) => jsonResponse(201, { id: replies.arm(json).id }),
    DELETE: ({ replies }) => void replies.clearAll(),
  },
  '/sandbox/replies/ID': {
    DELETE: ({ replies }, { ids: [id = ''] }) =>
      replies.clear(id) ? undefined : problem(404, `no armed reply has the id ${id}`),
  },
  '/sandbox/delivery': {
    GET: ({ delivery }) => jsonResponse(200, delivery),
    PUT: (state, { json }) => {
      state.setDelivery(json);
      return jsonResponse(200, state.delivery);
    },
  },
  '/sandbox/delivery/advance': { POST: (state, { json }) => void state.advance(json) },
  '/sandbox/conversations': { GET: listConversations },
  '/sandbox/conversations/LINE/NUMBER': { GET: showConversation },
  '/sandbox/requests': { GET: listRequests },
  '/sandbox/events': { GET: () => 'events' },
};

/** The handlers that take parameters. */
export const routesWithParameters: ReadonlySet<ControlHandler> = new Set([
  listMessages,
  listCalls,
  removeMessages,
  listReceived,
  listConversations,
  showConversation,
  listRequests,
]);

function showSandbox({ settings, started, sent, received, credit }: SandboxState, { origin }: ControlRequest) {
  const counts = { messages: sent.size, statuses: countStatuses(sent.all()), received: received.size };
  const endpoint = `${origin}${service.path}`;
  return jsonResponse(200, { version, namespace: settings.namespace, endpoint, started, ...counts, credit });
}

/** The number of messages in each status. */
function countStatuses(messages: Iterable<SentMessage>): Readonly<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (const { record } of messages) statuses[record.status] = (statuses[record.status] ?? 0) + 1;
  return statuses;
}

function listMessages(state: SandboxState, { query, response }: ControlRequest): HttpResponse | Promise<HttpResponse> {
  const given = readParameters(query, { search, status, call, limit, before, wait });
  const matches = matcherOf(given);
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
      const changed = event.t === 'status' ? state.sent.find(event.messageid) : event;
      if (changed?.t !== 'sent' || !matches(changed)) return;
      stop();
      // The other messages of the same call are sent by then.
      queueMicrotask(finish);
    };
    const timer = setTimeout(finish, given.wait);
    state.listeners.add(listener);
    response.on('close', stop);
  });
}

/** What chooses messages. */
interface Filter {
  readonly search: string;
  readonly status?: number | undefined;
  readonly call?: bigint | undefined;
}

/** Finds messages by their status and call, and by a part of the id, the sender, the receptor or the text. */
function matcherOf(filter: Filter) {
  return ({ record, call }: SentMessage) =>
    record.status === (filter.status ?? record.status) &&
    call === (filter.call ?? call) &&
    holds(record, filter.search);
}

/** Lists the calls that have sent what is found, newest first. The messages of a call follow each other. */
function listCalls({ sent }: SandboxState, { query }: ControlRequest): HttpResponse {
  const given = readParameters(query, { search, status, limit, before });
  const matches = matcherOf(given);
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
function showMessage({ sent, requestLog, mask }: SandboxState, { ids: [id = ''] }: ControlRequest): HttpResponse {
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
function removeMessages(state: SandboxState, { query }: ControlRequest): HttpResponse {
  const matches = matcherOf(readParameters(query, { search, status, call }));
  const given = [...new URLSearchParams(query)];
  const [empty] = given.find(([, value]) => value === '') ?? (given.length === 0 ? ['search'] : []);
  if (empty !== undefined) {
    const others = 'DELETE /sandbox removes everything, DELETE /sandbox/messages/ID one message';
    readNamed(empty, () => refuseValue(`missing or empty; ${others}`));
  }
  const messageids = state.sent.all().flatMap((message) => (matches(message) ? message.record.messageid : []));
  if (messageids.length > 0) state.commit([{ t: 'removed', messageids }]);
  return jsonResponse(200, { removed: messageids.length });
}

function removeMessage(state: SandboxState, { ids: [id = ''] }: ControlRequest): HttpResponse | undefined {
  const messageid = parseId(id);
  if (state.sent.find(messageid) === undefined) return unknownMessage(id);
  state.commit([{ t: 'removed', messageids: [messageid] }]);
  return undefined;
}

function setStatus(state: SandboxState, { ids: [id = ''], json }: ControlRequest): HttpResponse {
  const message = state.setStatus(parseId(id), json);
  return message === undefined ? unknownMessage(id) : jsonResponse(200, messageJson(message));
}

/** The id in a path; 0, which no message has, for anything else. */
function parseId(text: string): bigint {
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

function unknownMessage(id: string): HttpResponse {
  return problem(404, `no message has the id ${id}`);
}

function listReceived({ received }: SandboxState, { query }: ControlRequest): HttpResponse {
  const given = readParameters(query, { line, search, limit, before });
  const matches = (record: ApiReceive) =>
    record.receptor === (given.line ?? record.receptor) && holds(record, given.search);
  const write = (message: KeptReceived) => matches(message.record) && writeJson(receivedJson(message));
  return listResponse('received', received.all(), given, ({ record }) => record.messageid, write);
}

/** Lists the requests that are kept. */
function listRequests({ requestLog, mask }: SandboxState, { query }: ControlRequest): HttpResponse {
  const given = readParameters(query, { search, result, limit, before });
  // No text is kept: all of them together may be too long.
  const textOf = (request: SandboxRequest): string => writeJson(requestJson(request), mask);
  // The search must not find an API key either.
  const found = requestLog.requests.filter(
    (request) => given.search === '' || textOf(request).toLowerCase().includes(given.search),
  );
  const results: Record<string, number> = {};
  for (const each of found) if (each.result !== undefined) results[each.result] = (results[each.result] ?? 0) + 1;
  const matches = given.result === undefined ? found : found.filter((each) => each.result === given.result);
  const counts = { found: matches.length, results };
  return listResponse('requests', matches, given, ({ id }) => BigInt(id), textOf, counts);
}
