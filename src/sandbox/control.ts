import { service as contractService } from '../../generated/operations';
import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import { version } from '../internal/version';
import type { OperationName } from '../types';
import { checkFields } from './checks';
import type { Core } from './core';
import type { ReceivedMessage } from './inbox';
import { indexOf } from './outbox';
import { readId, readLimit, readQuery, takePage } from './query';
import type { Reply } from './replies';
import { messageView, receivedView, replyView, requestView, writeJson } from './views';
import type { HttpAnswer } from './wire/http-answer';

/** A request to the control interface, as far as it was checked for all routes alike. */
export interface ControlRequest {
  /** Query without the question mark. */
  readonly query: string;
  /** The part of the path that names a record; empty in other paths. */
  readonly id: string;
  /** The parsed body of a POST or PUT. */
  readonly json: unknown;
  /** The origin that the caller used. */
  readonly origin: string;
}

/** @throws {FieldError} when the request is wrong */
export type ControlHandler = (core: Core, request: ControlRequest) => HttpAnswer | 'events';

/** The control interface: a handler for each method of each path. */
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

function showSandbox({ settings, state, service }: Core, { query, origin }: ControlRequest): HttpAnswer {
  readQuery(query, []);
  return jsonAnswer(200, {
    version,
    namespace: settings.namespace,
    endpoint: `${origin}${contractService.path}`,
    messages: state.outbox.ring.size,
    received: state.inbox.ring.size,
    credit: service.credit,
  });
}

function resetSandbox(core: Core): HttpAnswer {
  core.reset();
  return done;
}

function listMessages({ state }: Core, { query }: ControlRequest): HttpAnswer {
  const parameters = readQuery(query, ['search', 'limit', 'before']);
  const search = parameters.get('search')?.toLowerCase();
  const { page, isLast } = takePage(
    state.outbox.ring.newestFirst(readPosition(parameters, 'before')),
    readLimit(parameters),
    ({ sender, receptor, message }) =>
      search === undefined || [sender, receptor, message].some((text) => text?.toLowerCase().includes(search)),
    lengthOf,
  );
  return jsonAnswer(200, { messages: page.map(messageView), next: isLast ? null : page.at(-1)?.messageid });
}

/** How many characters the values of a record have. */
function lengthOf(record: ApiSelect | ApiReceive): number {
  return Object.values(record).reduce<number>((length, value) => length + String(value).length, 0);
}

/** The position of the message whose id a parameter holds; undefined without the parameter. */
function readPosition(parameters: ReadonlyMap<string, string>, name: string): number | undefined {
  const messageid = readId(parameters, name);
  return messageid === undefined ? undefined : indexOf(messageid);
}

function setStatus(core: Core, { id, json }: ControlRequest): HttpAnswer {
  checkFields('', json, ['status', 'statustext']);
  const { status, statustext } = json as { status: number; statustext?: string };
  const record = core.setStatus(/^\d{1,19}$/.test(id) ? BigInt(id) : 0n, status, statustext);
  return record === undefined ? notFound(`no message has the id ${id}`) : jsonAnswer(200, messageView(record));
}

function listReceived({ state }: Core, { query }: ControlRequest): HttpAnswer {
  const parameters = readQuery(query, ['line', 'limit', 'before']);
  const line = parameters.get('line');
  const { page, isLast } = takePage(
    state.inbox.ring.newestFirst(readPosition(parameters, 'before')),
    readLimit(parameters),
    ({ record }) => line === undefined || record.receptor === line,
    ({ record }) => lengthOf(record),
  );
  return jsonAnswer(200, { received: page.map(receivedView), next: isLast ? null : page.at(-1)?.record.messageid });
}

function receive(core: Core, { json }: ControlRequest): HttpAnswer {
  const records = Array.isArray(json)
    ? core.receive(json.map(withExactDate))
    : core.receive([withExactDate(json)], () => '');
  return jsonAnswer(201, { received: records.map((record) => receivedView({ record, isread: 0 })) });
}

/** JSON numbers beyond 2^53 lose digits, so a date may be a string. */
function withExactDate(given: unknown): ReceivedMessage {
  const { date } = Object(given) as { date?: unknown };
  const isDigits = typeof date === 'string' && /^-?\d{1,19}$/.test(date);
  return (isDigits ? { ...(given as object), date: BigInt(date) } : given) as ReceivedMessage;
}

function listReplies({ replies }: Core, { query }: ControlRequest): HttpAnswer {
  readQuery(query, []);
  return jsonAnswer(200, { replies: replies.list.map(replyView) });
}

function armReply(core: Core, { json }: ControlRequest): HttpAnswer {
  checkFields('', json, ['operation', 'times', 'reply']);
  const { operation, times, reply } = json as { operation: OperationName | '*'; times?: number | null; reply: Reply };
  const options = times === undefined ? {} : { times: times ?? Number.POSITIVE_INFINITY };
  return jsonAnswer(201, { id: core.reply(operation, reply, options).id });
}

function clearReplies({ replies }: Core): HttpAnswer {
  replies.clearAll();
  return done;
}

function clearReply({ replies }: Core, { id }: ControlRequest): HttpAnswer {
  return replies.clear(id) ? done : notFound(`no armed reply has the id ${id}`);
}

/** Besides the last requests, the one that sent a message. */
function listRequests({ requestLog, mask }: Core, { query }: ControlRequest): HttpAnswer {
  const parameters = readQuery(query, ['limit', 'message']);
  const position = readPosition(parameters, 'message');
  const { page } = takePage(
    position === undefined ? requestLog.requests.reverse() : requestLog.requestOf(position),
    readLimit(parameters),
    () => true,
    ({ body, answer }) => body.length + (answer?.body.length ?? 0),
  );
  return jsonAnswer(200, { requests: page.map((request) => requestView(request, mask)) });
}

function streamEvents(_: Core, { query }: ControlRequest): 'events' {
  readQuery(query, []);
  return 'events';
}

const done: HttpAnswer = { status: 204, headers: {}, body: '' };

function notFound(error: string): HttpAnswer {
  return jsonAnswer(404, { error });
}

export function jsonAnswer(status: number, value: unknown): HttpAnswer {
  return { status, headers: { 'Content-Type': 'application/json' }, body: `${writeJson(value)}\n` };
}
