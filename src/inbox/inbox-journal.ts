import { createHash } from 'node:crypto';
import { records } from '../../generated/operations';
import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import {
  type JournalKind,
  type JournalState,
  type RecordsOf,
  readIdText,
  readPlainText,
  recordReader,
} from '../journal/records';
import { trueOrFalse, wholeNumber } from '../options/checks';
import { isObject, listOf, type OptionTable, refuseValue } from '../options/table';
import type { Element } from '../soap/element';

const line = { read: readPlainText, required: true } as const;
const id = { read: readIdText, required: true } as const;
const text = { read: readPlainText, required: true } as const;
const time = { read: wholeNumber(Number.MIN_SAFE_INTEGER), required: true } as const;
const isread = { read: wholeNumber(-32_768, 32_767), required: true } as const;
const flag = { read: trueOrFalse, required: true } as const;
const message = { read: readMessage, required: true } as const;
const readMark = wholeNumber(-2_147_483_648, 2_147_483_647);

/** The records of an inbox. `line` is a line number, an id is a decimal text, and a time is milliseconds since 1970. */
const tables = {
  /** The service whose messages these are. The last record counts: a provider may move. */
  service: { baseUrl: text, namespace: text },
  /**
   * Messages that need no handler: the service listed them as read before the first start, or their texts are left out.
   * `marks` has a number for each id, by which a message with the same id is told from this one.
   */
  known: { line, ids: { read: listOf(readIdText), required: true }, marks: { read: listOf(readMark), required: true } },
  /** A message of the first look at a line, listed with this value of isread. The baseline says what becomes of it. */
  listed: { line, isread, message },
  /** The first look has listed all messages that this value of isread lists. Others that it lists later are new. */
  looked: { line, isread },
  /**
   * The first look with these values of isread is complete. What `unread` listed waits for a handler, and so does what
   * `read` listed when `includeRead` is true. All other listed messages are known.
   */
  baseline: { line, unread: isread, read: { read: isread.read }, includeRead: flag, at: time },
  /** A message that the service gave. Its longs are decimal texts. */
  message: { line, message },
  /** A message that has the id of another message: the service gives its ids again. */
  reused: { line, message },
  /** Written before a handler is called. */
  call: { line, id },
  /** A handler has handled the message. */
  handled: { line, id, at: time },
  /** The handler has failed too often. */
  'set-aside': { line, id },
  /** A message that was set aside waits again. */
  retry: { line, id },
  /** The texts of messages that were handled before this time are left out of the file. */
  rewritten: { before: time },
} as const satisfies Readonly<Record<string, OptionTable>>;

type Records = RecordsOf<typeof tables>;
export type InboxRecord = Records[keyof Records];

export interface UnhandledMessage {
  readonly lineNumber: string;
  readonly message: ApiReceive;
  /** True once a handler was called with it. */
  called: boolean;
  /** The calls of a handler since the message arrived, or since it was last made to wait again. */
  attempts: number;
  isSetAside: boolean;
  /** The pause after its handler failed in this process, in milliseconds; 0 before. */
  pauseMs: number;
  /** The end of this pause, by the clock that only goes forward. */
  dueAt: number;
}

/** The numbers of messages in a journal. */
export interface InboxCounts {
  /** All messages, also those that were handled and those that were read before the first start. */
  readonly known: number;
  readonly waiting: number;
  /** Messages that were set aside, because their handler failed too often. */
  readonly setAside: number;
}

type ListedRecord = Records['listed'];
type MessageRecord = Records['message'];

/** The sum of an inbox's records. */
export class InboxState implements JournalState<InboxRecord> {
  /** The service whose messages these are; undefined for a new journal. */
  service: Records['service'] | undefined;
  /** The messages that are not handled, in the order in which they came. */
  readonly unhandled = new Map<string, UnhandledMessage>();
  /** The mark of each message by line and id. Two lines may count their messages separately. */
  readonly ids = new Map<string, Map<bigint, number>>();
  /** The messages of first looks that are not complete. */
  readonly listed = new Map<string, ListedRecord>();
  /** The values of isread that a first look has listed, by line and value. */
  readonly looked = new Map<string, Records['looked']>();
  /** The first looks that are complete, by line and values. */
  readonly baselines = new Map<string, Records['baseline']>();
  /** A message whose id was given again. */
  reused: Records['reused'] | undefined;
  /** The file has no text of a message that was handled before this time; undefined while no message is handled. */
  textsSince: number | undefined;

  counts(): InboxCounts {
    let [known, setAside] = [0, 0];
    for (const ids of this.ids.values()) known += ids.size;
    for (const message of this.unhandled.values()) setAside += Number(message.isSetAside);
    return { known, waiting: this.unhandled.size - setAside, setAside };
  }

  /** True when the first look at a line with these values is complete, and no listed message waits for its end. */
  hasBaseline(line: string, unread: number, read: number | undefined): boolean {
    for (const record of this.listed.values()) if (record.line === line) return false;
    return this.baselines.has(baselineKey({ line, unread, read }));
  }

  hasLooked(line: string, isread: number): boolean {
    return this.looked.has(lineKey(line, isread));
  }

  /** Says whether a message is new, known, or another message with a known id. */
  compare(line: string, message: ApiReceive): 'new' | 'known' | 'reused' {
    const mark = this.ids.get(line)?.get(message.messageid);
    if (mark === undefined) return 'new';
    return mark === markOf(message) ? 'known' : 'reused';
  }

  apply(record: InboxRecord): boolean {
    switch (record.t) {
      case 'rewritten':
        this.textsSince = record.before;
        return true;
      case 'service':
        this.service = record;
        // A journal without a message is bound anew, and what was empty at one service may not be so at another.
        if (this.counts().known > 0) return true;
        this.looked.clear();
        this.baselines.clear();
        return true;
      case 'known':
        for (const [index, id] of record.ids.entries())
          this.#idsOf(record.line).set(BigInt(id), record.marks[index] ?? 0);
        return record.ids.length === record.marks.length;
      case 'listed':
        return this.#list(record);
      case 'looked':
        this.looked.set(lineKey(record.line, record.isread), record);
        return true;
      case 'baseline':
        this.#complete(record);
        return true;
      case 'message':
        if (!this.#add(record)) return false;
        this.#letWait(record);
        return true;
      case 'reused':
        this.reused = record;
        return true;
      case 'handled':
        this.textsSince ??= record.at;
        return this.unhandled.delete(lineKey(record.line, record.id));
    }
    const message = this.unhandled.get(lineKey(record.line, record.id));
    // Only a message that was set aside can wait again, and it gets no handler before.
    if (message?.isSetAside !== (record.t === 'retry')) return false;
    message.isSetAside = record.t === 'set-aside';
    message.called ||= record.t === 'call';
    if (record.t === 'call') message.attempts += 1;
    if (record.t === 'retry') Object.assign(message, { attempts: 0, pauseMs: 0, dueAt: 0 });
    return true;
  }

  #list(record: ListedRecord): boolean {
    const key = lineKey(record.line, String(record.message.messageid));
    // A message may be listed again with the values of a later run.
    if (!this.#add(record) && !this.listed.has(key)) return false;
    this.listed.set(key, record);
    return true;
  }

  /** Takes the listed messages of a line for known, or lets them wait for a handler. */
  #complete(record: Records['baseline']): void {
    this.baselines.set(baselineKey(record), record);
    for (const [key, listed] of this.listed) {
      if (listed.line !== record.line) continue;
      this.listed.delete(key);
      const waits = listed.isread === record.unread || (record.includeRead && listed.isread === record.read);
      if (waits) this.#letWait(listed);
      else this.textsSince ??= record.at;
    }
  }

  /** Adds the id of a message; false when it is known. */
  #add({ line, message }: ListedRecord | MessageRecord): boolean {
    const received = messageOf(message);
    const isNew = this.compare(line, received) === 'new';
    if (isNew) this.#idsOf(line).set(received.messageid, markOf(received));
    return isNew;
  }

  #letWait({ line, message }: ListedRecord | MessageRecord): void {
    const counters = { called: false, attempts: 0, isSetAside: false, pauseMs: 0, dueAt: 0 };
    const received = messageOf(message);
    this.unhandled.set(lineKey(line, received.messageid), { lineNumber: line, message: received, ...counters });
  }

  #idsOf(line: string): Map<bigint, number> {
    const ids = this.ids.get(line) ?? new Map();
    this.ids.set(line, ids);
    return ids;
  }
}

/** A number by which two messages with one id are told apart: the sender and the date of a message never change. */
function markOf({ sender, date }: ApiReceive): number {
  return createHash('sha256').update(`${sender}\0${date}`).digest().readInt32BE();
}

function baselineKey({ line, unread, read }: Pick<Records['baseline'], 'line' | 'unread' | 'read'>): string {
  return lineKey(line, `${unread} ${read ?? 'none'}`);
}

/** The key of what belongs to a line, such as a message with its id. */
export function lineKey(line: string, key: number | bigint | string): string {
  return `${key} ${line}`;
}

export const inboxKind: JournalKind<InboxRecord, InboxState> = {
  name: 'inbox',
  knowledge: 'which messages were handled',
  createState: () => new InboxState(),
  readRecord: recordReader<InboxRecord>(tables),
};

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

/** Reads a message of a record: its longs become bigints again. */
function messageOf(message: Readonly<Record<string, unknown>>): ApiReceive {
  const given = longs.filter((name) => typeof message[name] === 'string');
  const values = given.map((name) => [name, BigInt(message[name] as string)]);
  return { ...message, ...Object.fromEntries(values) } as ApiReceive;
}
