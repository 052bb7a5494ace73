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
import { wholeNumber } from '../options/checks';
import { isObject, listOf, type OptionTable, refuseValue } from '../options/table';
import type { Element } from '../soap/element';

const line = { read: readPlainText, required: true } as const;
const id = { read: readIdText, required: true } as const;
const time = { read: wholeNumber(Number.MIN_SAFE_INTEGER), required: true } as const;

/** The records of an inbox. `line` is a line number, an id is a decimal text, and a time is milliseconds since 1970. */
const tables = {
  /**
   * Messages that need no handler: the service listed them as read before the first start, or their texts are left out.
   */
  known: { line, ids: { read: listOf(readIdText), required: true } },
  /**
   * All messages that the service listed as read at the first start are known. `read` is the value that was asked for.
   */
  baseline: { line, read: time },
  /** A message that the service gave. Its longs are decimal texts. */
  message: { line, message: { read: readMessage, required: true } },
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

/** The sum of an inbox's records. */
export class InboxState implements JournalState<InboxRecord> {
  /** The messages that are not handled, in the order in which they came. */
  readonly unhandled = new Map<string, UnhandledMessage>();
  /** The ids of all messages by line. Two lines may count their messages separately. */
  readonly ids = new Map<string, Set<bigint>>();
  /** The baselines by line and value. */
  readonly baselines = new Map<string, InboxRecord>();
  /** The file has no text of a message that was handled before this time; undefined while no message is handled. */
  textsSince: number | undefined;

  counts(): InboxCounts {
    let [known, setAside] = [0, 0];
    for (const ids of this.ids.values()) known += ids.size;
    for (const message of this.unhandled.values()) setAside += Number(message.isSetAside);
    return { known, waiting: this.unhandled.size - setAside, setAside };
  }

  hasBaseline(line: string, read: number): boolean {
    return this.baselines.has(messageKey(line, String(read)));
  }

  knows(line: string, id: bigint): boolean {
    return this.ids.get(line)?.has(id) ?? false;
  }

  apply(record: InboxRecord): boolean {
    if (record.t === 'rewritten') {
      this.textsSince = record.before;
      return true;
    }
    const { line } = record;
    switch (record.t) {
      case 'known':
        for (const id of record.ids) this.#idsOf(line).add(BigInt(id));
        return true;
      case 'baseline':
        this.baselines.set(messageKey(line, String(record.read)), record);
        return true;
      case 'message': {
        const message = messageOf(record.message);
        if (this.knows(line, message.messageid)) return false;
        this.#idsOf(line).add(message.messageid);
        const counters = { called: false, attempts: 0, isSetAside: false, pauseMs: 0, dueAt: 0 };
        this.unhandled.set(messageKey(line, message.messageid), { lineNumber: line, message, ...counters });
        return true;
      }
      case 'handled':
        this.textsSince ??= record.at;
        return this.unhandled.delete(messageKey(line, record.id));
    }
    const message = this.unhandled.get(messageKey(line, record.id));
    // Only a message that was set aside can wait again, and it gets no handler before.
    if (message?.isSetAside !== (record.t === 'retry')) return false;
    message.isSetAside = record.t === 'set-aside';
    message.called ||= record.t === 'call';
    if (record.t === 'call') message.attempts += 1;
    if (record.t === 'retry') Object.assign(message, { attempts: 0, pauseMs: 0, dueAt: 0 });
    return true;
  }

  #idsOf(line: string): Set<bigint> {
    const ids = this.ids.get(line) ?? new Set();
    this.ids.set(line, ids);
    return ids;
  }
}

function messageKey(line: string, id: bigint | string): string {
  return `${id} ${line}`;
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
