import type { HttpResponse } from '../http';
import type { KeptReceived } from '../store/changes';
import type { SandboxState } from '../store/state';
import { jsonResponse, messageJson, receivedJson, writeJson } from './json';
import { holds, listResponse } from './lists';
import { parameters, readParameters } from './parameters';

const { search, limit, before } = parameters;

/** Lists who has written to which line, with the newest message of each, the newest conversation first. */
export function listConversations({ received }: SandboxState, { query }: { readonly query: string }): HttpResponse {
  const given = readParameters(query, { search, limit, before });
  const conversations = new Map<string, KeptReceived[]>();
  for (const message of received.all()) {
    const { sender = '', receptor = '' } = message.record;
    const key = JSON.stringify([receptor, sender]);
    const known = conversations.get(key);
    // The conversation with the newest message is the last one.
    if (known) conversations.delete(key);
    conversations.set(key, known ?? []);
    (conversations.get(key) as KeptReceived[]).push(message);
  }
  const lastOf = (messages: readonly KeptReceived[]) => messages.at(-1) as KeptReceived;
  const write = (messages: readonly KeptReceived[]): string | false => {
    if (given.search !== '' && !messages.some(({ record }) => holds(record, given.search))) return false;
    const last = lastOf(messages);
    const { sender = '', receptor = '' } = last.record;
    const unread = messages.filter(({ isread }) => isread === 0).length;
    const counts = { received: messages.length, unread };
    return writeJson({ line: receptor, number: sender, ...counts, last: receivedJson(last) });
  };
  const all = [...conversations.values()];
  return listResponse('conversations', all, given, (messages) => lastOf(messages).record.messageid, write);
}

/** Lists the messages between a line and a number in both directions, oldest first: the newest of them. */
export function showConversation(
  state: SandboxState,
  { query, ids: [line, number] }: { readonly query: string; readonly ids: readonly string[] },
): HttpResponse {
  const given = readParameters(query, { limit });
  const sent = state.sent
    .all()
    .filter(({ record }) => (record.sender ?? '') === line && (record.receptor ?? '') === number);
  const received = state.received
    .all()
    .filter(({ record }) => (record.receptor ?? '') === line && (record.sender ?? '') === number);
  const messages = [...sent.map((one) => ({ sent: one })), ...received.map((one) => ({ received: one }))];
  const dateOf = (one: (typeof messages)[number]) => ('sent' in one ? one.sent : one.received).record.date;
  // The order of equal dates is that of the lists.
  messages.sort((a, b) => Number(dateOf(a) - dateOf(b)));
  const shown = messages
    .slice(-given.limit)
    .map((one) => ('sent' in one ? { sent: messageJson(one.sent) } : { received: receivedJson(one.received) }));
  return jsonResponse(200, { line, number, found: messages.length, messages: shown });
}
