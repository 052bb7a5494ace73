import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import { buildRecord, unixSeconds } from './record';
import { Ring } from './ring';

/** Above 2^53, so that a client that stores a long in a double loses a digit visibly. */
export const FIRST_ID = 9_007_199_254_740_993n;
const STATUS_QUEUED = 1;
const STATUS_SCHEDULED = 2;
export const STATUS_CANCELED = 13;
/** The cost of each message. */
export const COST = 120;

const statusTexts: ReadonlyMap<number, string> = new Map([
  [STATUS_QUEUED, 'queued'],
  [STATUS_SCHEDULED, 'scheduled'],
  [STATUS_CANCELED, 'canceled'],
]);

/** The text of a status: one of the sandbox's own, else empty. */
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

/**
 * The last sent messages. Ids count up by one, so an id gives the position of its record. A record is replaced and never
 * changed, so a record that was returned stays as it was.
 */
export class Outbox {
  readonly ring: Ring<ApiSelect>;

  constructor(keep: number) {
    this.ring = new Ring(keep);
  }

  /** The records that these messages get when they are added next. */
  build(messages: readonly OutgoingMessage[]): ApiSelect[] {
    const now = unixSeconds();
    return messages.map(({ sender, receptor, message, unixdate }, index) => {
      const date = unixdate === 0n ? now : unixdate;
      const status = date > now ? STATUS_SCHEDULED : STATUS_QUEUED;
      return buildRecord<ApiSelect>({
        messageid: FIRST_ID + BigInt(this.ring.count + index),
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

  find(messageid: bigint): ApiSelect | undefined {
    return this.ring.at(indexOf(messageid));
  }

  setStatus(messageid: bigint, status: number, statustext: string): void {
    const record = this.find(messageid);
    if (record !== undefined) this.ring.replace(indexOf(messageid), { ...record, status, statustext });
  }

  between(start: bigint, end: bigint): ApiSelect[] {
    return this.ring.toArray().filter(({ date }) => date >= start && date <= end);
  }

  /** Newest first. */
  latest(count: number): ApiSelect[] {
    const records: ApiSelect[] = [];
    for (const record of this.ring.newestFirst()) {
      if (records.length >= count) break;
      records.push(record);
    }
    return records;
  }
}

/** The position of the record with an id. */
export function indexOf(messageid: bigint): number {
  return Number(messageid - FIRST_ID);
}
