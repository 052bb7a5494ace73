import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { buildRecord, unixSeconds } from './record';
import { Ring } from './ring';

const STATUS_QUEUED = 1;
const STATUS_SCHEDULED = 2;
export const STATUS_CANCELED = 13;
/** The cost of each message. */
const COST = 120;

const statusTexts: ReadonlyMap<number, string> = new Map([
  [STATUS_QUEUED, 'queued'],
  [STATUS_SCHEDULED, 'scheduled'],
  [STATUS_CANCELED, 'canceled'],
]);

/** The sandbox's own text for a status; empty for a status that has none. */
export function statusTextOf(status: number): string {
  return statusTexts.get(status) ?? '';
}

/** A message to send. A unixdate of 0 means now. */
export interface OutgoingMessage {
  readonly sender: string | null;
  readonly receptor: string | null;
  readonly message: string | null;
  readonly unixdate: bigint;
}

/** The last sent messages. */
export class SentMessages extends Ring<ApiSelect> {
  /** The cost of all messages that were ever sent. */
  get spent(): bigint {
    return BigInt(this.count) * BigInt(COST);
  }

  /** The records that these messages get when they are added next. */
  build(messages: readonly OutgoingMessage[]): ApiSelect[] {
    const now = unixSeconds();
    const { nextId } = this;
    return messages.map(({ sender, receptor, message, unixdate }, index) => {
      const date = unixdate === 0n ? now : unixdate;
      const status = date > now ? STATUS_SCHEDULED : STATUS_QUEUED;
      return buildRecord<ApiSelect>({
        messageid: nextId + BigInt(index),
        message,
        status,
        statustext: statusTextOf(status),
        sender,
        receptor,
        date,
        cost: COST,
      });
    });
  }

  setStatus(messageid: bigint, status: number, statustext: string): void {
    const record = this.find(messageid);
    if (record !== undefined) this.replace(messageid, { ...record, status, statustext });
  }

  /** The messages with start ≤ date ≤ end, oldest first. */
  between(start: bigint, end: bigint): ApiSelect[] {
    return this.all().filter(({ date }) => date >= start && date <= end);
  }

  /** The last `count` messages, newest first. */
  latest(count: number): ApiSelect[] {
    const records: ApiSelect[] = [];
    for (const record of this.newestFirst()) {
      if (records.length >= count) break;
      records.push(record);
    }
    return records;
  }
}
