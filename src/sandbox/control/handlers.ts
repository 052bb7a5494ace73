import type { ServerResponse } from 'node:http';
import { service } from '../../../generated/operations';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { version } from '../../internal/version';
import { readNamed, refuseValue } from '../../options/table';
import type { HttpResponse } from '../http';
import type { SandboxEvent, SandboxState } from '../store/state';
import { detailsJson, jsonResponse, messageJson, receivedJson, replyJson, requestJson, writeJson } from './json';
import { parameters, readParameters } from './parameters';

const { search, status, line, limit, before, wait } = parameters;

/** A request to the control interface, after the checks that all routes share. */
export interface ControlRequest {
  /** Without the question mark. */
  readonly query: string;
  /** The part of the path that names a record; empty in other paths. */
  readonly id: string;
  /** The parsed body of a POST or PUT. */
  readonly json: unknown;
  /** The origin that the caller used. */
  readonly origin: string;
  /** The response, for a handler that responds later. */
  readonly response: ServerResponse;
  readonly send: (response: HttpResponse) => void;
}

/** @throws {WrongValue} when the request is wrong */
export type ControlHandler = (state: SandboxState, request: ControlRequest) => HttpResponse | 'events' | 'later';

/** A handler for each method of each path. */
export const controlRoutes: readonly (readonly [path: RegExp, methods: Readonly<Record<string, ControlHandler>>])[] = [
  [/^\/sandbox$/, { GET: showSandbox, DELETE: resetSandbox }],
  [/^\/sandbox\/messages$/, { GET: listMessages, DELETE: removeMessages }],
  [/^\/sandbox\/messages\/([^/]+)$/, { GET: showMessage, DELETE: removeMessage }],
  [/^\/sandbox\/messages\/([^/]*)\/status$/, { PUT: setStatus }],
  [/^\/sandbox\/received$/, { GET: listReceived, POST: receive }],
  [/^\/sandbox\/replies$/, { GET: listReplies, POST: armReply, DELETE: clearReplies }],
  [/^\/sandbox\/replies\/([^/]*)$/, { DELETE: clearReply }],
  [/^\/sandbox\/delivery$/, { GET: showDelivery, PUT: setDelivery }],
  [/^\/sandbox\/delivery\/advance$/, { POST: advanceDelivery }],
  [/^\/sandbox\/requests$/, { GET: listRequests }],
  [/^\/sandbox\/events$/, { GET: () => 'events' }],
];

/** The handlers that take parameters. */
export const routesWithParameters: ReadonlySet<ControlHandler> = new Set([
  listMessages,
  removeMessages,
  listReceived,
  listRequests,
]);

function showSandbox({ settings, started, sent, received, credit }: SandboxState, { origin }: ControlRequest) {
  const statuses: Record<number, number> = {};
  for (const { record } of sent.newestFirst()) statuses[record.status] = (statuses[record.status] ?? 0) + 1;
  const counts = { messages: sent.size, statuses, received: received.size };
  const endpoint = `${origin}${service.path}`;
  return jsonResponse(200, { version, namespace: settings.namespace, endpoint, started, ...counts, credit });
}

function resetSandbox(state: SandboxState): HttpResponse {
  state.reset();
  return done;
}

function listMessages(state: SandboxState, { query, response, send }: ControlRequest): HttpResponse | 'later' {
  const given = readParameters(query, { search, status, limit, before, wait });
  const matches = matcherOf(given);
  const list = () =>
    takePage(
      state.sent.newestFirst(given.before),
      given.limit,
      ({ record }) => matches(record),
      ({ record }) => lengthOf(record),
    );
  const write = ({ page, isLast }: ReturnType<typeof list>): HttpResponse =>
    jsonResponse(200, { messages: page.map(messageJson), next: isLast ? null : page.at(-1)?.record.messageid });
  const found = list();
  if (given.wait === 0 || found.page.length > 0) return write(found);
  // Responds as soon as a message matches that was not sent yet, and after a time without one.
  const stop = (): void => {
    clearTimeout(timer);
    state.listeners.delete(listener);
  };
  const finish = (): void => {
    stop();
    send(write(list()));
  };
  const listener = (event: SandboxEvent): void => {
    if (event.kind !== 'sent' || !matches(event.entry.record)) return;
    stop();
    // The other messages of the same call are sent by then.
    queueMicrotask(finish);
  };
  const timer = setTimeout(finish, given.wait);
  state.listeners.add(listener);
  response.on('close', stop);
  return 'later';
}

interface MessageFilter {
  readonly search: string;
  readonly status?: number | undefined;
}

/** Finds messages by their status, and by a part of the id, the sender, the receptor or the text. */
function matcherOf(filter: MessageFilter): (record: ApiSelect) => boolean {
  return (record) => (filter.status === undefined || record.status === filter.status) && holds(record, filter.search);
}

/** @param text in lower case */
function holds({ messageid, sender, receptor, message }: ApiSelect | ApiReceive, text: string): boolean {
  return text === '' || [String(messageid), sender, receptor, message].some((one) => one?.toLowerCase().includes(text));
}

function showMessage({ sent, requestLog, mask }: SandboxState, { id }: ControlRequest): HttpResponse {
  const messageid = parseId(id);
  const entry = sent.find(messageid);
  if (entry === undefined) return unknownMessage(id);
  const request = requestLog.requestOf(messageid);
  return jsonResponse(200, {
    ...detailsJson(entry),
    request: request === undefined ? null : requestJson(request, mask),
  });
}

/** Removes the messages found. An empty parameter, which may be an unset variable, removes nothing. */
function removeMessages(state: SandboxState, { query }: ControlRequest): HttpResponse {
  const matches = matcherOf(readParameters(query, { search, status }));
  const given = [...new URLSearchParams(query)];
  const [empty] = given.find(([, value]) => value === '') ?? (given.length === 0 ? ['search'] : []);
  if (empty !== undefined) {
    const others = 'DELETE /sandbox removes everything, DELETE /sandbox/messages/ID one message';
    readNamed(empty, () => refuseValue(`missing or empty; ${others}`));
  }
  const found = state.sent.all().flatMap(({ record }) => (matches(record) ? record.messageid : []));
  state.remove(found);
  return jsonResponse(200, { removed: found.length });
}

function removeMessage(state: SandboxState, { id }: ControlRequest): HttpResponse {
  const messageid = parseId(id);
  if (state.sent.find(messageid) === undefined) return unknownMessage(id);
  state.remove([messageid]);
  return done;
}

function setStatus(state: SandboxState, { id, json }: ControlRequest): HttpResponse {
  const entry = state.setStatus(parseId(id), json);
  return entry === undefined ? unknownMessage(id) : jsonResponse(200, messageJson(entry));
}

/** The id in a path; 0, which no message has, for anything else. */
function parseId(text: string): bigint {
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

function unknownMessage(id: string): HttpResponse {
  return notFound(`no message has the id ${id}`);
}

function showDelivery({ delivery }: SandboxState): HttpResponse {
  return jsonResponse(200, delivery);
}

function setDelivery(state: SandboxState, { json }: ControlRequest): HttpResponse {
  state.setDelivery(json);
  return jsonResponse(200, state.delivery);
}

function advanceDelivery(state: SandboxState, { json }: ControlRequest): HttpResponse {
  state.advance(json);
  return done;
}

function listReceived({ received }: SandboxState, { query }: ControlRequest): HttpResponse {
  const given = readParameters(query, { line, search, limit, before });
  const { page, isLast } = takePage(
    received.newestFirst(given.before),
    given.limit,
    ({ record }) => record.receptor === (given.line ?? record.receptor) && holds(record, given.search),
    ({ record }) => lengthOf(record),
  );
  return jsonResponse(200, { received: page.map(receivedJson), next: isLast ? null : page.at(-1)?.record.messageid });
}

function receive(state: SandboxState, { json }: ControlRequest): HttpResponse {
  const records = state.receive(json);
  return jsonResponse(201, { received: records.map((record) => receivedJson({ record, isread: 0 })) });
}

function listReplies({ replies }: SandboxState): HttpResponse {
  return jsonResponse(200, { replies: replies.list.map(replyJson) });
}

function armReply({ replies }: SandboxState, { json }: ControlRequest): HttpResponse {
  return jsonResponse(201, { id: replies.arm(json).id });
}

function clearReplies({ replies }: SandboxState): HttpResponse {
  replies.clearAll();
  return done;
}

function clearReply({ replies }: SandboxState, { id }: ControlRequest): HttpResponse {
  return replies.clear(id) ? done : notFound(`no armed reply has the id ${id}`);
}

/** Lists the requests that are kept. */
function listRequests({ requestLog, mask }: SandboxState, { query }: ControlRequest): HttpResponse {
  const given = readParameters(query, { search, limit, before });
  const { page, isLast } = takePage(
    requestLog.requests.reverse().filter(({ id }) => BigInt(id) < (given.before ?? BigInt(id) + 1n)),
    given.limit,
    // The search must not find an API key either.
    (request) => given.search === '' || writeJson(requestJson(request, mask)).toLowerCase().includes(given.search),
    ({ body, response }) => body.length + (response?.body.length ?? 0),
  );
  const requests = page.map((request) => requestJson(request, mask));
  return jsonResponse(200, { requests, next: isLast ? null : page.at(-1)?.id });
}

/** Bounds the size of a response, in UTF-16 units. */
const MAX_CHARACTERS = 16_777_216;

/**
 * The first items that match: at most `count`, and fewer when they grow too long for one response.
 *
 * @returns the items, and true as `isLast` when no more items follow
 */
function takePage<T>(
  items: Iterable<T>,
  count: number,
  matches: (item: T) => boolean,
  length: (item: T) => number,
): { readonly page: T[]; readonly isLast: boolean } {
  const page: T[] = [];
  let characters = 0;
  for (const item of items) {
    if (!matches(item)) continue;
    if (page.length >= count || characters > MAX_CHARACTERS) return { page, isLast: false };
    page.push(item);
    characters += length(item);
  }
  return { page, isLast: true };
}

/** The number of characters in the values of a record. */
function lengthOf(record: ApiSelect | ApiReceive): number {
  return Object.values(record).reduce<number>((length, value) => length + String(value).length, 0);
}

const done: HttpResponse = { status: 204, headers: {}, body: '' };

function notFound(error: string): HttpResponse {
  return jsonResponse(404, { error });
}
