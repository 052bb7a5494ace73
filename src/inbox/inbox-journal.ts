import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import { type JournalKind, type JournalState, recordReader } from '../journal/records';
import { LineState } from './line-state';
import { markOf } from './message-mark';
import { type InboxRecord, type InboxRecords, messageOf, tables } from './records';

export type { InboxRecord } from './records';

export interface UnhandledMessage {
  readonly lineNumber: string;
  readonly message: ApiReceive;
  /** Tells the message apart from others with its id. */
  readonly mark: number;
  /** The value of isread that listed it first; undefined when this was at another service. */
  isread: number | undefined;
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

/** The sum of an inbox's records. */
export class InboxState implements JournalState<InboxRecord> {
  /** The service whose messages these are; undefined for a new journal. */
  service: InboxRecords['service'] | undefined;
  readonly lines = new Map<string, LineState>();
  /** The messages that are not handled, in the order in which they came. */
  readonly unhandled = new Map<string, UnhandledMessage>();
  /** The file has no text of a message that was handled before this time; undefined while no message is handled. */
  textsSince: number | undefined;

  counts(): InboxCounts {
    let [known, setAside] = [0, 0];
    for (const line of this.lines.values()) known += line.known.size;
    for (const message of this.unhandled.values()) setAside += Number(message.isSetAside);
    return { known, waiting: this.unhandled.size - setAside, setAside };
  }

  /** The number of messages of which no first look has decided whether they wait. */
  get undecided(): number {
    return [...this.lines.values()].reduce((sum, line) => sum + line.undecided, 0);
  }

  line(lineNumber: string): LineState {
    const line = this.lines.get(lineNumber) ?? new LineState();
    this.lines.set(lineNumber, line);
    return line;
  }

  apply(record: InboxRecord): boolean {
    switch (record.t) {
      case 'rewritten':
        this.textsSince = record.before;
        return true;
      case 'service':
        this.service = record;
        for (const line of this.lines.values()) line.forgetValues();
        for (const message of this.unhandled.values()) message.isread = undefined;
        return true;
    }
    const line = this.line(record.line);
    switch (record.t) {
      case 'known':
        for (const [index, id] of record.ids.entries()) line.known.add(BigInt(id), record.marks[index] ?? 0);
        return record.ids.length === record.marks.length;
      case 'listed':
        line.list(record);
        return true;
      case 'looked':
        line.look(record.isread);
        return true;
      case 'keeps':
        line.keep(record.isread);
        return true;
      case 'marked':
        line.mark(record);
        return true;
      case 'baseline':
        this.textsSince ??= line.undecided > 0 ? record.at : undefined;
        for (const message of line.complete(record)) this.#letWait(message);
        return true;
      case 'message':
        if (!line.add(messageOf(record.message))) return false;
        this.#letWait(record);
        return true;
      case 'handled':
        this.textsSince ??= record.at;
        return this.unhandled.delete(messageKey(record));
    }
    const message = this.unhandled.get(messageKey(record));
    // Only a message that was set aside can wait again, and it gets no handler before.
    if (message?.isSetAside !== (record.t === 'retry')) return false;
    message.isSetAside = record.t === 'set-aside';
    message.called ||= record.t === 'call';
    if (record.t === 'call') message.attempts += 1;
    if (record.t === 'retry') Object.assign(message, { attempts: 0, pauseMs: 0, dueAt: 0 });
    return true;
  }

  #letWait({ line, isread, message: plain }: InboxRecords['listed'] | InboxRecords['message']): void {
    const message = messageOf(plain);
    const mark = markOf(message);
    const counters = { called: false, attempts: 0, isSetAside: false, pauseMs: 0, dueAt: 0 };
    const key = messageKey({ line, id: message.messageid, mark });
    this.unhandled.set(key, { lineNumber: line, message, mark, isread, ...counters });
  }
}

/** The parts of a record that say which message it is about. */
export interface MessageName {
  readonly line: string;
  readonly id: bigint | string;
  readonly mark: number;
}

/** Names the message of a record. */
export function nameOfMessage(record: MessageRecord): MessageName {
  if ('id' in record) return record;
  const message = messageOf(record.message);
  return { line: record.line, id: message.messageid, mark: markOf(message) };
}

/** A record about one message. */
type MessageRecord = Extract<InboxRecord, { readonly message: unknown } | { readonly id: unknown }>;

/** The key of a message. */
export function messageKey({ line, id, mark }: MessageName): string {
  return `${id} ${mark} ${line}`;
}

export const inboxKind: JournalKind<InboxRecord, InboxState> = {
  name: 'inbox',
  knowledge: 'which messages were handled',
  createState: () => new InboxState(),
  readRecord: recordReader<InboxRecord>(tables),
};
