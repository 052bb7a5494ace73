import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { HttpResponse } from '../http';
import type { KeptReceived, SentMessage } from '../store/changes';
import type { SandboxState } from '../store/state';
import { jsonResponse, messageJson, receivedJson } from './json';
import { holds } from './lists';
import { parameters, readParameters } from './parameters';

const { search, limit, before } = parameters;

/** The messages between a line and a number in both directions, the order of equal dates being that of the lists. */
interface Conversation {
  readonly line: string;
  readonly number: string;
  readonly received: KeptReceived[];
  readonly sent: SentMessage[];
}

/**
 * Lists the numbers that have written to a line, the newest conversation first. `before` and `next` count conversations
 * from the oldest one.
 */
export function listConversations(
  { sent, received }: SandboxState,
  { query }: { readonly query: string },
): HttpResponse {
  const given = readParameters(query, { search, limit, before });
  const conversations = new Map<string, Conversation>();
  for (const message of received.all()) {
    const { sender: number = '', receptor: line = '' } = message.record;
    const key = JSON.stringify([line, number]);
    const known = conversations.get(key) ?? { line, number, received: [], sent: [] };
    // Of equal dates, the conversation with the newest message is the last one.
    conversations.delete(key);
    conversations.set(key, known);
    known.received.push(message);
  }
  if (conversations.size > 0)
    for (const message of sent.all()) {
      const { sender: line = '', receptor: number = '' } = message.record;
      conversations.get(JSON.stringify([line, number]))?.sent.push(message);
    }
  const matching = [...conversations.values()].filter(
    (each) => given.search === '' || [...each.received, ...each.sent].some(({ record }) => holds(record, given.search)),
  );
  const rows = matching.map(describe).sort((a, b) => Number(dateOf(a) - dateOf(b)));
  const { items, next } = pageOf(rows, given);
  const unread = rows.filter((row) => row.unread > 0).length;
  return jsonResponse(200, { conversations: items, found: rows.length, unread, next });
}

/** Lists the messages of a conversation, newest first. `before` and `next` count messages from the oldest one. */
export function showConversation(
  state: SandboxState,
  { query, ids: [line, number] }: { readonly query: string; readonly ids: readonly string[] },
): HttpResponse {
  const given = readParameters(query, { limit, before });
  const sent = state.sent
    .all()
    .filter(({ record }) => (record.sender ?? '') === line && (record.receptor ?? '') === number)
    .map((message) => ({ direction: 'sent', ...messageJson(message) }) as { direction: string } & ApiSelect);
  const received = state.received
    .all()
    .filter(({ record }) => (record.receptor ?? '') === line && (record.sender ?? '') === number)
    .map((message) => ({ direction: 'received', ...receivedJson(message) }) as { direction: string } & ApiReceive);
  const messages = [...sent, ...received].sort((a, b) => Number(a.date - b.date));
  const { items, next } = pageOf(messages, given);
  return jsonResponse(200, { line, number, found: messages.length, messages: items, next });
}

function describe({ line, number, received, sent }: Conversation) {
  const [lastReceived, lastSent] = [received.at(-1) as KeptReceived, sent.at(-1)];
  const isSentLast = lastSent !== undefined && lastSent.record.date > lastReceived.record.date;
  const last = isSentLast ? messageJson(lastSent) : receivedJson(lastReceived);
  const unread = received.filter(({ isread }) => isread === 0).length;
  const direction = isSentLast ? 'sent' : 'received';
  return { number, line, last: { direction, ...last }, unread, messages: received.length + sent.length };
}

function dateOf({ last }: ReturnType<typeof describe>): bigint {
  return (last as unknown as ApiSelect).date;
}

/** The newest items, or those before a place. @param items oldest first */
function pageOf<T>(items: readonly T[], given: { readonly limit: number; readonly before?: bigint | undefined }) {
  const end = Math.min(items.length, Number(given.before ?? items.length));
  const start = Math.max(0, end - given.limit);
  return { items: items.slice(start, end).reverse(), next: start === 0 ? null : String(start) };
}
