import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import { FIRST_ID, unixSeconds } from './outbox';

/** A message that the sandbox receives. Null leaves an element out of its record. */
export interface ReceivedMessage {
  readonly sender: string | null;
  /** The line that received it: the `lineNumber` of ReceiveByApikey. */
  readonly receptor: string | null;
  readonly message: string | null;
  /** Seconds since 1970. Default: now. */
  readonly date?: bigint | number | undefined;
}

/** The received messages of each line, in order of arrival. */
export class Inbox {
  /** Reading takes all unread messages, so the read messages of a line always precede the unread ones. */
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

  /** The messages of a line with that read state. They count as read from then on. */
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
