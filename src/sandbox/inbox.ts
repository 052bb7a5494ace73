import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import { FIRST_ID, unixSeconds } from './outbox';

/** A message for the sandbox to receive. Null leaves an element out of its record. */
export interface ReceivedMessage {
  readonly sender: string | null;
  /** The line that received it: the `lineNumber` that ReceiveByApikey asks for. */
  readonly receptor: string | null;
  readonly message: string | null;
  /** Seconds since 1970. Default: now. */
  readonly date?: bigint | number | undefined;
}

/** The messages that were received, by line, each line in the order of arrival. */
export class Inbox {
  /** Reading takes all that is unread, so that what is read always arrived before what is not. */
  readonly #lines = new Map<string | null, { read: ApiReceive[]; unread: ApiReceive[] }>();
  #count = 0n;

  add({ sender, receptor, message, date }: ReceivedMessage): ApiReceive {
    const record: ApiReceive = {
      messageid: FIRST_ID + this.#count,
      ...(message === null ? {} : { message }),
      ...(sender === null ? {} : { sender }),
      ...(receptor === null ? {} : { receptor }),
      date: date === undefined ? unixSeconds() : BigInt(date),
    };
    this.#count += 1n;
    const line = this.#lines.get(receptor);
    if (line === undefined) this.#lines.set(receptor, { read: [], unread: [record] });
    else line.unread.push(record);
    return record;
  }

  /** Gives the messages of a line with that read state. What it gives is read from then on. */
  take(lineNumber: string | null, read: boolean): ApiReceive[] {
    const line = this.#lines.get(lineNumber);
    if (line === undefined) return [];
    if (read) return line.read;
    const taken = line.unread;
    line.read = line.read.concat(taken);
    line.unread = [];
    return taken;
  }
}
