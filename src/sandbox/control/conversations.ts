import type { HttpResponse } from '../http';
import type { KeptReceived, SentMessage } from '../store/changes';
import type { SandboxState } from '../store/state';
import type { ControlRequest } from './control-request';
import { jsonResponse, messageJson, receivedJson } from './json';
import { matcherOf } from './lists';
import { filterParameters, parameters, readParameters } from './parameters';

const { line, number, limit, before } = parameters;

/** The messages between a line and a number in both directions, as a list shows them. */
interface Conversation {
  readonly line: string;
  readonly number: string;
  messages: number;
  unread: number;
  /** The last message that was received, and the last one that was sent by now. */
  received: KeptReceived;
  sent: SentMessage | undefined;
  isFound: boolean;
}

/**
 * Lists the numbers that have written to a line, the newest conversation first. `before` and `next` count conversations
 * from the oldest one.
 */
export function listConversations(
  { sent, received, simulatedMs }: SandboxState,
  { query }: ControlRequest,
): HttpResponse {
  const given = readParameters(query, { ...filterParameters, limit, before });
  const isFound = matcherOf(given);
  const now = BigInt(Math.floor(simulatedMs / 1000));
  const conversations = new Map<string, Conversation>();
  for (const message of received.all()) {
    const { sender: number = '', receptor: line = '' } = message.record;
    const key = keyOf(line, number);
    const known = conversations.get(key) ?? begin(line, number, message);
    // When two conversations have the same last date, the one whose message came later is the newer one.
    conversations.delete(key);
    conversations.set(key, known);
    known.received = message;
    known.messages += 1;
    if (message.isread === 0) known.unread += 1;
    known.isFound ||= isFound(message.record);
  }
  for (const message of conversations.size > 0 ? sent.all() : []) {
    const { sender: line = '', receptor: number = '' } = message.record;
    const known = conversations.get(keyOf(line, number));
    if (known === undefined) continue;
    // The date of a scheduled message may be years ahead of everything that is written until then.
    const { date } = message.record;
    if (date <= now && date >= (known.sent?.record.date ?? date)) known.sent = message;
    known.messages += 1;
    known.isFound ||= isFound(message.record);
  }
  const found = [...conversations.values()].filter(({ isFound }) => isFound);
  found.sort((a, b) => byDate(lastOf(a), lastOf(b)));
  const { items, next } = pageOf(found, given);
  const unread = found.filter((each) => each.unread > 0).length;
  return jsonResponse(200, { conversations: items.map(describe), found: found.length, unread, next });
}

/** Lists the messages of a conversation, newest first. `before` and `next` count messages from the oldest one. */
export function showConversation(
  state: SandboxState,
  { query, ids: [line = '', number = ''] }: ControlRequest,
): HttpResponse {
  return listBothSides(state, { line, number, ...readParameters(query, { limit, before }) });
}

/** Does the same for a line and a number in the query: a browser takes a path that ends in `..` for another one. */
export function findConversation(state: SandboxState, { query }: ControlRequest): HttpResponse {
  const given = readParameters(query, { line, number, limit, before });
  return listBothSides(state, { ...given, line: given.line ?? '', number: given.number ?? '' });
}

function listBothSides(
  state: SandboxState,
  { line, number, ...page }: { readonly line: string; readonly number: string } & Page,
): HttpResponse {
  const sent = state.sent
    .all()
    .filter(({ record }) => (record.sender ?? '') === line && (record.receptor ?? '') === number);
  const received = state.received
    .all()
    .filter(({ record }) => (record.receptor ?? '') === line && (record.sender ?? '') === number);
  const messages = [...sent, ...received].sort(byDate);
  const { items, next } = pageOf(messages, page);
  return jsonResponse(200, { line, number, found: messages.length, messages: items.map(directedJson), next });
}

/** A key that no other pair has, made for each of 100,000 messages. */
function keyOf(line: string, number: string): string {
  return `${line.length}:${line}${number}`;
}

function begin(line: string, number: string, received: KeptReceived): Conversation {
  return { line, number, messages: 0, unread: 0, received, sent: undefined, isFound: false };
}

function describe(conversation: Conversation): object {
  const { line, number, messages, unread } = conversation;
  return { number, line, last: directedJson(lastOf(conversation)), unread, messages };
}

/** A message of either direction, with its direction. */
function directedJson(message: KeptReceived | SentMessage): object {
  return 'call' in message
    ? { direction: 'sent', ...messageJson(message) }
    : { direction: 'received', ...receivedJson(message) };
}

function byDate(one: KeptReceived | SentMessage, other: KeptReceived | SentMessage): number {
  return Number(one.record.date - other.record.date);
}

function lastOf({ received, sent }: Conversation): KeptReceived | SentMessage {
  return sent && sent.record.date > received.record.date ? sent : received;
}

interface Page {
  readonly limit: number;
  readonly before?: bigint | undefined;
}

/** The newest items, or those before a place. @param items oldest first */
function pageOf<T>(items: readonly T[], given: Page) {
  const end = Math.min(items.length, Number(given.before ?? items.length));
  const start = Math.max(0, end - given.limit);
  return { items: items.slice(start, end).reverse(), next: start === 0 ? null : String(start) };
}
