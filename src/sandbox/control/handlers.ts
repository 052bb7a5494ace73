import { service } from '../../../generated/operations';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import { version } from '../../internal/version';
import type { HttpResponse } from '../http';
import type { KeptReceived } from '../store/changes';
import type { SandboxState } from '../store/state';
import type { ControlHandler, ControlRequest } from './control-request';
import { findConversation, listConversations, showConversation } from './conversations';
import { jsonResponse, NO_CONTENT, problem, receivedJson, undoable, writeJson } from './json';
import { listResponse, matcherOf } from './lists';
import { countStatuses, listCalls, listSent, removeMessage, removeMessages, setStatus, showMessage } from './messages';
import { filterParameters, parameters, readParameters } from './parameters';
import { listRequests } from './requests';

const { line, limit, before } = parameters;

/** A handler for each method of each path. ID, LINE and NUMBER are any part of a path. */
export const controlRoutes: Readonly<Record<string, Readonly<Record<string, ControlHandler>>>> = {
  '/sandbox': { GET: showSandbox, DELETE: (state) => void state.reset() },
  '/sandbox/messages': { GET: listSent, DELETE: removeMessages },
  '/sandbox/calls': { GET: listCalls },
  '/sandbox/messages/ID': { GET: showMessage, DELETE: removeMessage },
  '/sandbox/messages/ID/status': { PUT: setStatus },
  '/sandbox/received': {
    GET: listReceived,
    POST: (state, { json }) => jsonResponse(201, { received: state.receive(json).map(receivedJson) }),
  },
  '/sandbox/replies': {
    GET: ({ replies }) => jsonResponse(200, { replies: replies.list }),
    POST: armReply,
    DELETE: ({ replies }) => void replies.clearAll(),
  },
  '/sandbox/replies/ID': { DELETE: disarmReply },
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
  '/sandbox/conversation': { GET: findConversation },
  '/sandbox/requests': { GET: listRequests },
  '/sandbox/events': { GET: () => 'events' },
  '/sandbox/undo/ID': {
    POST: ({ lastChange }, { ids: [id = ''] }) =>
      lastChange.undo(id) ? undefined : problem(404, `the change ${id} can no longer be undone`),
  },
};

/** The handlers that take parameters. */
export const routesWithParameters: ReadonlySet<ControlHandler> = new Set([
  listSent,
  listCalls,
  removeMessages,
  listReceived,
  listConversations,
  showConversation,
  findConversation,
  listRequests,
]);

function showSandbox(state: SandboxState, { origin }: ControlRequest): HttpResponse {
  const { options, started, sent, received, requestLog, credit } = state;
  const { namespace } = options;
  const counts = { messages: sent.size, statuses: countStatuses(sent.all()), received: received.size };
  const endpoint = `${origin}${service.path}`;
  return jsonResponse(200, { version, namespace, endpoint, started, ...counts, requests: requestLog.size, credit });
}

function armReply({ replies, lastChange }: SandboxState, { json }: ControlRequest): HttpResponse {
  const { id } = replies.arm(json);
  return undoable(lastChange, jsonResponse(201, { id }), () => replies.clear(id));
}

function disarmReply({ replies, lastChange }: SandboxState, { ids: [id = ''] }: ControlRequest): HttpResponse {
  const armed = replies.list.find((each) => each.id === id);
  if (armed === undefined) return problem(404, `no armed reply has the id ${id}`);
  replies.clear(id);
  return undoable(lastChange, NO_CONTENT, () => {
    replies.restore(armed);
    return true;
  });
}

function listReceived({ received }: SandboxState, { query }: ControlRequest): HttpResponse {
  const given = readParameters(query, { line, ...filterParameters, limit, before });
  const isFound = matcherOf(given);
  const matches = (record: ApiReceive) => record.receptor === (given.line ?? record.receptor) && isFound(record);
  const write = (message: KeptReceived) => matches(message.record) && writeJson(receivedJson(message));
  return listResponse('received', received.all(), given, ({ record }) => record.messageid, write);
}
