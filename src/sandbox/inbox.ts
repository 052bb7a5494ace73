import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import { isInRange } from '../xml/integers';
import { checkFields, checkText, within, wrong } from './checks';
import { FIRST_ID, indexOf } from './outbox';
import { buildRecord, unixSeconds } from './record';
import { Ring } from './ring';

/** A message that the sandbox receives. Null leaves an element out of its record. */
export interface ReceivedMessage {
  readonly sender: string | null;
  /** The line that received it: the `lineNumber` of ReceiveByApikey. */
  readonly receptor: string | null;
  readonly message: string | null;
  /** Seconds since 1970. Default: now. */
  readonly date?: bigint | number | undefined;
}

/** A received message and whether ReceiveByApikey has returned it. */
export interface InboxEntry {
  readonly record: ApiReceive;
  readonly isread: 0 | 1;
}

/** The last received messages, numbered as the sent ones are. An entry is replaced and never changed. */
export class Inbox {
  readonly ring: Ring<InboxEntry>;

  constructor(keep: number) {
    this.ring = new Ring(keep);
  }

  /**
   * The records that these messages get when they are added next.
   *
   * @throws {FieldError} when a message is not what its type says
   */
  build(messages: readonly ReceivedMessage[], fieldOf: (index: number) => string): ApiReceive[] {
    return messages.map((given, index) => {
      const { sender, receptor, message, date } = checkReceived(given, fieldOf(index));
      return buildRecord<ApiReceive>({
        messageid: FIRST_ID + BigInt(this.ring.count + index),
        message,
        sender,
        receptor,
        date: date === undefined ? unixSeconds() : BigInt(date),
      });
    });
  }

  /** The messages of a line with that read state, in order of arrival. */
  select(lineNumber: string | null, isread: 0 | 1): ApiReceive[] {
    const line = lineNumber ?? undefined;
    return this.ring
      .toArray()
      .filter((entry) => entry.isread === isread && entry.record.receptor === line)
      .map(({ record }) => record);
  }

  markRead(messageid: bigint): void {
    const entry = this.ring.at(indexOf(messageid));
    if (entry !== undefined) this.ring.replace(indexOf(messageid), { ...entry, isread: 1 });
  }
}

function checkReceived(given: ReceivedMessage, field: string): ReceivedMessage {
  checkFields(field, given, ['sender', 'receptor', 'message', 'date'] satisfies (keyof ReceivedMessage)[]);
  for (const name of ['sender', 'receptor', 'message'] as const) {
    if (given[name] !== null) checkText(within(field, name), given[name]);
  }
  const { date } = given;
  const isWhole = typeof date === 'bigint' || Number.isSafeInteger(date);
  if (date !== undefined && !(isWhole && isInRange('long', date))) {
    throw wrong(within(field, 'date'), date, 'a whole number of seconds');
  }
  return given;
}
