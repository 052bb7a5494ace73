import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { OperationName } from '../../types';
import { buildRecord, unixSeconds } from './record';
import { Ring } from './ring';

const STATUS_QUEUED = 1;
const STATUS_SCHEDULED = 2;
export const STATUS_CANCELED = 13;
/** The cost of each message. */
const COST = 120;

/** The statuses that the sandbox knows, with its own texts. */
export const knownStatuses: ReadonlyMap<number, string> = new Map([
  [STATUS_QUEUED, 'queued'],
  [STATUS_SCHEDULED, 'scheduled'],
  [4, 'sent'],
  [6, 'failed'],
  [10, 'delivered'],
  [11, 'undelivered'],
  [STATUS_CANCELED, 'canceled'],
  [14, 'blocked'],
]);

/** The sandbox's own text for a status; empty for a status that has none. */
export function statusTextOf(status: number): string {
  return knownStatuses.get(status) ?? '';
}

/** A message to send. A unixdate of 0 means now. */
export interface OutgoingMessage {
  readonly sender: string | null;
  readonly receptor: string | null;
  readonly message: string | null;
  readonly unixdate: bigint;
  readonly operation: OperationName;
  /** The msgmode or messagemode of the request. */
  readonly mode: number;
}

/** A sent message: its record, and what the record does not say. */
export interface SentEntry {
  readonly record: ApiSelect;
  /** The id of the call that sent the message: the id of the first message of the call. */
  readonly call: bigint;
  readonly operation: OperationName;
  /** The msgmode or messagemode of the request. */
  readonly mode: number;
  /**
   * The time from which the steps of the simulated delivery count, in milliseconds since 1970, by the clock of the
   * simulation. Absent once the status was set by hand, which ends the simulation for the message.
   */
  readonly startMs?: number | undefined;
  /** The `afterMs` of the last step that the simulation took. Absent before the first step. */
  readonly stepMs?: number;
}

/** The last sent messages. */
export class SentMessages extends Ring<SentEntry> {
  /** The cost of all messages that were ever sent. */
  get spent(): bigint {
    return BigInt(this.count) * BigInt(COST);
  }

  /**
   * The entries that these messages get when they are added next.
   *
   * @param aheadMs how far the clock of the simulation is ahead
   */
  build(messages: readonly OutgoingMessage[], aheadMs: number): SentEntry[] {
    const now = unixSeconds();
    const nowMs = Date.now();
    const { nextId } = this;
    return messages.map(({ sender, receptor, message, unixdate, operation, mode }, index) => {
      const date = unixdate === 0n ? now : unixdate;
      const status = date > now ? STATUS_SCHEDULED : STATUS_QUEUED;
      const record = buildRecord<ApiSelect>({
        messageid: nextId + BigInt(index),
        message,
        status,
        statustext: statusTextOf(status),
        sender,
        receptor,
        date,
        cost: COST,
      });
      return { record, call: nextId, operation, mode, startMs: aheadMs + (date > now ? Number(date) * 1000 : nowMs) };
    });
  }

  /** @param stepMs the `afterMs` of the step that sets the status, or undefined for a status that is set by hand */
  setStatus(messageid: bigint, status: number, statustext: string, stepMs?: number): void {
    const entry = this.find(messageid);
    if (entry === undefined) return;
    const record = { ...entry.record, status, statustext };
    this.replace(messageid, { ...entry, record, ...(stepMs === undefined ? { startMs: undefined } : { stepMs }) });
  }

  /** The number of messages in each status. */
  statuses(): Record<number, number> {
    const counts: Record<number, number> = {};
    for (const { record } of this.newestFirst()) counts[record.status] = (counts[record.status] ?? 0) + 1;
    return counts;
  }

  /** Oldest first. */
  records(): ApiSelect[] {
    return this.all().map(({ record }) => record);
  }

  /** The messages with start ≤ date ≤ end, oldest first. */
  between(start: bigint, end: bigint): ApiSelect[] {
    return this.records().filter(({ date }) => date >= start && date <= end);
  }

  /** The last `count` messages, newest first. */
  latest(count: number): ApiSelect[] {
    const records: ApiSelect[] = [];
    for (const { record } of this.newestFirst()) {
      if (records.length >= count) break;
      records.push(record);
    }
    return records;
  }
}
