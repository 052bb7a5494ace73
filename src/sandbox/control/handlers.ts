import { service } from '../../../generated/operations';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { version } from '../../internal/version';
import type { OperationName } from '../../types';
import { checkDelivery } from '../service/check-delivery';
import { checkFields, FieldError } from '../service/field-error';
import type { Reply } from '../service/replies';
import type { RunningSandbox } from '../service/running-sandbox';
import type { ReceivedMessage } from '../store/received-messages';
import type { HttpResponse } from '../wire/http-response';
import { detailsJson, jsonResponse, messageJson, receivedJson, replyJson, requestJson, writeJson } from './json';
import { readId, readLimit, readQuery, readStatus, readWait, takePage } from './query';
import { type LateResponse, waitForMessage } from './wait-for-message';

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
}

/** @throws {FieldError} when the request is wrong */
export type ControlHandler = (
  sandbox: RunningSandbox,
  request: ControlRequest,
) => HttpResponse | LateResponse | 'events';

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
  [/^\/sandbox\/events$/, { GET: streamEvents }],
];

function showSandbox(sandbox: RunningSandbox, request: ControlRequest): HttpResponse {
  readQuery(request.query, []);
  const { settings, started, store } = sandbox;
  return jsonResponse(200, {
    version,
    namespace: settings.namespace,
    endpoint: `${request.origin}${service.path}`,
    started,
    messages: store.sent.size,
    statuses: store.sent.statuses(),
    received: store.received.size,
    credit: sandbox.service.credit,
  });
}

function resetSandbox(sandbox: RunningSandbox): HttpResponse {
  sandbox.reset();
  return done;
}

function listMessages(sandbox: RunningSandbox, { query }: ControlRequest): HttpResponse | LateResponse {
  const parameters = readQuery(query, ['search', 'status', 'limit', 'before', 'wait']);
  const matches = matcherOf(parameters);
  const limit = readLimit(parameters);
  const before = readId(parameters, 'before');
  const waitMs = readWait(parameters);
  const list = () =>
    takePage(
      sandbox.store.sent.newestFirst(before),
      limit,
      ({ record }) => matches(record),
      ({ record }) => lengthOf(record),
    );
  const respond = ({ page, isLast }: ReturnType<typeof list>): HttpResponse => {
    const messages = page.map(messageJson);
    return jsonResponse(200, { messages, next: isLast ? null : page.at(-1)?.record.messageid });
  };
  const found = list();
  if (waitMs === 0 || found.page.length > 0) return respond(found);
  return waitForMessage(sandbox, matches, waitMs, () => respond(list()));
}

/** Finds messages by their status, and by a part of the id, the sender, the receptor or the text. */
function matcherOf(parameters: ReadonlyMap<string, string>): (record: ApiSelect) => boolean {
  const status = readStatus(parameters);
  const isFound = finderOf(parameters.get('search'));
  return (record) => (status === undefined || record.status === status) && isFound(record);
}

function finderOf(search = ''): (record: ApiSelect | ApiReceive) => boolean {
  const lower = search.toLowerCase();
  return ({ messageid, sender, receptor, message }) =>
    lower === '' || [String(messageid), sender, receptor, message].some((text) => text?.toLowerCase().includes(lower));
}

function showMessage({ store, requestLog, mask }: RunningSandbox, { query, id }: ControlRequest): HttpResponse {
  readQuery(query, []);
  const messageid = parseId(id);
  const entry = store.sent.find(messageid);
  if (entry === undefined) return unknownMessage(id);
  const request = requestLog.requestOf(messageid);
  return jsonResponse(200, {
    ...detailsJson(entry),
    request: request === undefined ? null : requestJson(request, mask),
  });
}

/** Removes the messages found. An empty parameter, which may be an unset variable, removes nothing. */
export function removeMessages(sandbox: RunningSandbox, { query }: ControlRequest): HttpResponse {
  const parameters = readQuery(query, ['search', 'status']);
  const empty =
    [...parameters].find(([, value]) => value === '')?.[0] ?? (parameters.size === 0 ? 'search' : undefined);
  if (empty !== undefined) {
    throw new FieldError(
      empty,
      'missing or empty; DELETE /sandbox removes everything, DELETE /sandbox/messages/ID one message',
    );
  }
  const found = sandbox.store.sent.records().filter(matcherOf(parameters));
  sandbox.remove(found.map(({ messageid }) => messageid));
  return jsonResponse(200, { removed: found.length });
}

function removeMessage(sandbox: RunningSandbox, { id }: ControlRequest): HttpResponse {
  const messageid = parseId(id);
  if (sandbox.store.sent.find(messageid) === undefined) return unknownMessage(id);
  sandbox.remove([messageid]);
  return done;
}

/** The id in a path; 0, which no message has, for anything else. */
function parseId(text: string): bigint {
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

function unknownMessage(id: string): HttpResponse {
  return notFound(`no message has the id ${id}`);
}

function showDelivery({ store }: RunningSandbox, { query }: ControlRequest): HttpResponse {
  readQuery(query, []);
  return jsonResponse(200, store.delivery);
}

function setDelivery({ store }: RunningSandbox, { json }: ControlRequest): HttpResponse {
  store.setDelivery(checkDelivery(json));
  return jsonResponse(200, store.delivery);
}

function advanceDelivery(sandbox: RunningSandbox, { json }: ControlRequest): HttpResponse {
  checkFields('', json, ['ms']);
  sandbox.advance((json as { ms: number }).ms);
  return done;
}

/** The number of characters in the values of a record. */
function lengthOf(record: ApiSelect | ApiReceive): number {
  return Object.values(record).reduce<number>((length, value) => length + String(value).length, 0);
}

function setStatus(sandbox: RunningSandbox, { id, json }: ControlRequest): HttpResponse {
  checkFields('', json, ['status', 'statustext']);
  const { status, statustext } = json as { status: number; statustext?: string };
  const entry = sandbox.setStatus(parseId(id), status, statustext);
  return entry === undefined ? unknownMessage(id) : jsonResponse(200, messageJson(entry));
}

function listReceived({ store }: RunningSandbox, { query }: ControlRequest): HttpResponse {
  const parameters = readQuery(query, ['line', 'search', 'limit', 'before']);
  const line = parameters.get('line');
  const isFound = finderOf(parameters.get('search'));
  const { page, isLast } = takePage(
    store.received.newestFirst(readId(parameters, 'before')),
    readLimit(parameters),
    ({ record }) => (line === undefined || record.receptor === line) && isFound(record),
    ({ record }) => lengthOf(record),
  );
  return jsonResponse(200, { received: page.map(receivedJson), next: isLast ? null : page.at(-1)?.record.messageid });
}

function receive(sandbox: RunningSandbox, { json }: ControlRequest): HttpResponse {
  const records = Array.isArray(json)
    ? sandbox.receive(json.map(withExactDate))
    : sandbox.receive([withExactDate(json)], () => '');
  return jsonResponse(201, { received: records.map((record) => receivedJson({ record, isread: 0 })) });
}

/** A date may be a string, since JSON numbers beyond 2^53 lose digits. */
function withExactDate(message: unknown): ReceivedMessage {
  const { date } = Object(message) as { date?: unknown };
  const isDigits = typeof date === 'string' && /^-?\d{1,19}$/.test(date);
  return (isDigits ? { ...(message as object), date: BigInt(date) } : message) as ReceivedMessage;
}

function listReplies({ replies }: RunningSandbox, { query }: ControlRequest): HttpResponse {
  readQuery(query, []);
  return jsonResponse(200, { replies: replies.list.map(replyJson) });
}

function armReply(sandbox: RunningSandbox, { json }: ControlRequest): HttpResponse {
  checkFields('', json, ['operation', 'times', 'reply']);
  const { operation, times, reply } = json as { operation: OperationName | '*'; times?: number | null; reply: Reply };
  const options = times === undefined ? {} : { times: times ?? Number.POSITIVE_INFINITY };
  return jsonResponse(201, { id: sandbox.replies.arm(operation, reply, options).id });
}

function clearReplies({ replies }: RunningSandbox): HttpResponse {
  replies.clearAll();
  return done;
}

function clearReply({ replies }: RunningSandbox, { id }: ControlRequest): HttpResponse {
  return replies.clear(id) ? done : notFound(`no armed reply has the id ${id}`);
}

/** Lists the requests that are kept. */
function listRequests({ requestLog, mask }: RunningSandbox, { query }: ControlRequest): HttpResponse {
  const parameters = readQuery(query, ['search', 'limit', 'before']);
  const before = readId(parameters, 'before');
  const search = parameters.get('search')?.toLowerCase() ?? '';
  const { page, isLast } = takePage(
    requestLog.requests.reverse().filter(({ id }) => before === undefined || BigInt(id) < before),
    readLimit(parameters),
    // The search must not find an API key either.
    (request) => search === '' || writeJson(requestJson(request, mask)).toLowerCase().includes(search),
    ({ body, response }) => body.length + (response?.body.length ?? 0),
  );
  return jsonResponse(200, {
    requests: page.map((request) => requestJson(request, mask)),
    next: isLast ? null : page.at(-1)?.id,
  });
}

function streamEvents(_: RunningSandbox, { query }: ControlRequest): 'events' {
  readQuery(query, []);
  return 'events';
}

const done: HttpResponse = { status: 204, headers: {}, body: '' };

function notFound(error: string): HttpResponse {
  return jsonResponse(404, { error });
}
