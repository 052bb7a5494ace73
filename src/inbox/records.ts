import { records } from '../../generated/operations';
import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import { type RecordsOf, readIdText, readPlainText } from '../journal/records';
import { bigintReplacer } from '../json';
import { trueOrFalse, wholeNumber } from '../options/checks';
import { isObject, listOf, type OptionTable, refuseValue } from '../options/table';
import type { Element } from '../soap/element';

const readMark = wholeNumber(0);
const line = { read: readPlainText, required: true } as const;
const id = { read: readIdText, required: true } as const;
const mark = { read: readMark, required: true } as const;
const text = { read: readPlainText, required: true } as const;
const time = { read: wholeNumber(Number.MIN_SAFE_INTEGER), required: true } as const;
const isread = { read: wholeNumber(-32_768, 32_767), required: true } as const;
const read = { read: isread.read } as const;
const flag = { read: trueOrFalse, required: true } as const;
const message = { read: readMessage, required: true } as const;

/**
 * The records of an inbox. `line` is a line number, an id is a decimal text, a time is milliseconds since 1970, and a
 * mark tells messages with one id apart (message-mark.ts).
 */
export const tables = {
  /** The service whose messages these are. The last record counts: a provider may move. */
  service: { baseUrl: text, namespace: text },
  /**
   * Messages that need no handler: the service listed them as read before the first start, or their texts are left out.
   */
  known: { line, ids: { read: listOf(readIdText), required: true }, marks: { read: listOf(readMark), required: true } },
  /** A message of the first look at a line, listed with this value of isread. The baseline says what becomes of it. */
  listed: { line, isread, message },
  /** The first look has listed all messages that this value of isread lists. Others that it lists later are new. */
  looked: { line, isread },
  /** This value of isread lists a message again that it has listed. So it does not list the unread ones. */
  keeps: { line, isread },
  /** A message went from the list of `unread` to that of `read`. So the service marks messages that it has listed. */
  marked: { line, unread: isread, read: isread },
  /**
   * The first look with these values of isread is complete. What `unread` listed waits for a handler, and so does what
   * `read` listed when `includeRead` is true. What neither listed stays undecided. Messages that a later run lists for
   * the first time, with other values, are new for these.
   */
  baseline: { line, unread: isread, read, includeRead: flag, at: time },
  /** A new message, as this value of isread listed it first. Its longs are decimal texts. */
  message: { line, isread, message },
  /** Written before a handler is called. */
  call: { line, id, mark },
  /** A handler has handled the message. */
  handled: { line, id, mark, at: time },
  /** The handler has failed too often. */
  'set-aside': { line, id, mark },
  /** A message that was set aside waits again. */
  retry: { line, id, mark },
  /** The texts of messages that were handled before this time are left out of the file. */
  rewritten: { before: time },
} as const satisfies Readonly<Record<string, OptionTable>>;

export type InboxRecords = RecordsOf<typeof tables>;
export type InboxRecord = InboxRecords[keyof InboxRecords];

const elements: readonly Element[] = records.ApiReceive;
const longs = elements.flatMap((element) =>
  element.kind === 'integer' && element.type === 'long' ? element.name : [],
);

/** Checks the message of a record, whose longs are decimal texts. */
function readMessage(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) return refuseValue('a message is needed');
  for (const name of longs) if ((value[name] ?? null) !== null) readIdText(value[name]);
  return value;
}

/** Writes a message for a record. */
export function plainOf(message: ApiReceive): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(message, bigintReplacer));
}

/** Reads a message of a record: its longs become bigints again. */
export function messageOf(message: Readonly<Record<string, unknown>>): ApiReceive {
  const given = longs.filter((name) => typeof message[name] === 'string');
  const values = given.map((name) => [name, BigInt(message[name] as string)]);
  return { ...message, ...Object.fromEntries(values) } as ApiReceive;
}
