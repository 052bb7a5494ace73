import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import { buildRecord, unixSeconds } from './record';
import { Ring } from './ring';

/** A message that the sandbox receives. A field that is null is left out of the record. */
export interface ReceivedMessage {
  readonly sender: string | null;
  /** The line that received the message: the `lineNumber` of ReceiveByApikey. */
  readonly receptor: string | null;
  readonly message: string | null;
  /** Seconds since 1970. Default: now. */
  readonly date?: bigint | number | undefined;
}

/** A received message and its read state, which is 1 once ReceiveByApikey has returned the message. */
export interface ReceivedEntry {
  readonly record: ApiReceive;
  readonly isread: 0 | 1;
}

/** The last received messages, with ids of their own. */
export class ReceivedMessages extends Ring<ReceivedEntry> {
  /** The records that these messages get when they are added next. */
  build(messages: readonly ReceivedMessage[]): ApiReceive[] {
    const { nextId } = this;
    return messages.map(({ sender, receptor, message, date }, index) =>
      buildRecord<ApiReceive>({
        messageid: nextId + BigInt(index),
        message,
        sender,
        receptor,
        date: date === undefined ? unixSeconds() : BigInt(date),
      }),
    );
  }

  markRead(messageid: bigint): void {
    const entry = this.find(messageid);
    if (entry !== undefined) this.replace(messageid, { ...entry, isread: 1 });
  }

  /** The messages of a line with this read state, oldest first. */
  select(lineNumber: string | null, isread: 0 | 1): ApiReceive[] {
    const line = lineNumber ?? undefined;
    return this.all()
      .filter((entry) => entry.isread === isread && entry.record.receptor === line)
      .map(({ record }) => record);
  }
}
