import { service } from '../../../generated/operations';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { version } from '../../internal/version';
import type { OperationName } from '../../types';
import { checkFields } from '../service/field-error';
import type { Reply } from '../service/replies';
import type { RunningSandbox } from '../service/running-sandbox';
import type { ReceivedMessage } from '../store/received-messages';
import type { HttpResponse } from '../wire/http-message';
import { jsonResponse, messageJson, receivedJson, replyJson, requestJson } from './json';
import { readId, readLimit, readQuery, takePage } from './query';

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
export type ControlHandler = (sandbox: RunningSandbox, request: ControlRequest) => HttpResponse | 'events';

/** A handler for each method of each path. */
export const controlRoutes: readonly (readonly [path: RegExp, methods: Readonly<Record<string, ControlHandler>>])[] = [
  [/^\/sandbox$/, { GET: showSandbox, DELETE: resetSandbox }],
  [/^\/sandbox\/messages$/, { GET: listMessages }],
  [/^\/sandbox\/messages\/([^/]*)\/status$/, { PUT: setStatus }],
  [/^\/sandbox\/received$/, { GET: listReceived, POST: receive }],
  [/^\/sandbox\/replies$/, { GET: listReplies, POST: armReply, DELETE: clearReplies }],
  [/^\/sandbox\/replies\/([^/]*)$/, { DELETE: clearReply }],
  [/^\/sandbox\/requests$/, { GET: listRequests }],
  [/^\/sandbox\/events$/, { GET: streamEvents }],
];

function showSandbox({ settings, store, service: { credit } }: RunningSandbox, request: ControlRequest): HttpResponse {
  readQuery(request.query, []);
  return jsonResponse(200, {
    version,
    namespace: settings.namespace,
    endpoint: `${request.origin}${service.path}`,
    messages: store.sent.size,
    received: store.received.size,
    credit,
  });
}

function resetSandbox(sandbox: RunningSandbox): HttpResponse {
  sandbox.reset();
  return done;
}

function listMessages({ store }: RunningSandbox, { query }: ControlRequest): HttpResponse {
  const parameters = readQuery(query, ['search', 'limit', 'before']);
  const search = parameters.get('search')?.toLowerCase();
  const { page, isLast } = takePage(
    store.sent.newestFirst(readId(parameters, 'before')),
    readLimit(parameters),
    ({ sender, receptor, message }) =>
      search === undefined || [sender, receptor, message].some((text) => text?.toLowerCase().includes(search)),
    lengthOf,
  );
  return jsonResponse(200, { messages: page.map(messageJson), next: isLast ? null : page.at(-1)?.messageid });
}

/** The number of characters in the values of a record. */
function lengthOf(record: ApiSelect | ApiReceive): number {
  return Object.values(record).reduce<number>((length, value) => length + String(value).length, 0);
}

function setStatus(sandbox: RunningSandbox, { id, json }: ControlRequest): HttpResponse {
  checkFields('', json, ['status', 'statustext']);
  const { status, statustext } = json as { status: number; statustext?: string };
  const record = sandbox.setStatus(/^\d{1,19}$/.test(id) ? BigInt(id) : 0n, status, statustext);
  return record === undefined ? notFound(`no message has the id ${id}`) : jsonResponse(200, messageJson(record));
}

function listReceived({ store }: RunningSandbox, { query }: ControlRequest): HttpResponse {
  const parameters = readQuery(query, ['line', 'limit', 'before']);
  const line = parameters.get('line');
  const { page, isLast } = takePage(
    store.received.newestFirst(readId(parameters, 'before')),
    readLimit(parameters),
    ({ record }) => line === undefined || record.receptor === line,
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

/** Lists the last requests, or the request that sent a message. */
function listRequests({ requestLog, mask }: RunningSandbox, { query }: ControlRequest): HttpResponse {
  const parameters = readQuery(query, ['limit', 'message']);
  const messageid = readId(parameters, 'message');
  const { page } = takePage(
    messageid === undefined ? requestLog.requests.reverse() : requestLog.requestOf(messageid),
    readLimit(parameters),
    () => true,
    ({ body, response }) => body.length + (response?.body.length ?? 0),
  );
  return jsonResponse(200, { requests: page.map((request) => requestJson(request, mask)) });
}

function streamEvents(_: RunningSandbox, { query }: ControlRequest): 'events' {
  readQuery(query, []);
  return 'events';
}

const done: HttpResponse = { status: 204, headers: {}, body: '' };

function notFound(error: string): HttpResponse {
  return jsonResponse(404, { error });
}
