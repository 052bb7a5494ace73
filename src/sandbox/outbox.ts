import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';

/** Above 2^53, so that a client that stores a long in a double loses a digit visibly. */
export const FIRST_ID = 9_007_199_254_740_993n;
export const STATUS_QUEUED = 1;
export const STATUS_SCHEDULED = 2;
export const STATUS_CANCELED = 13;
/** The cost of each message. */
export const COST = 120;

const statusTexts: ReadonlyMap<number, string> = new Map([
  [STATUS_QUEUED, 'queued'],
  [STATUS_SCHEDULED, 'scheduled'],
  [STATUS_CANCELED, 'canceled'],
]);

/** The sent messages, oldest first. A record is replaced and never changed, so a record that was returned stays as it was. */
export class Outbox {
  readonly #records: ApiSelect[] = [];

  get records(): readonly ApiSelect[] {
    return this.#records;
  }

  add(message: { sender: string | null; receptor: string | null; message: string | null; unixdate: bigint }): bigint {
    const now = unixSeconds();
    const messageid = FIRST_ID + BigInt(this.#records.length);
    const date = message.unixdate === 0n ? now : message.unixdate;
    const status = date > now ? STATUS_SCHEDULED : STATUS_QUEUED;
    this.#records.push({
      messageid,
      ...(message.message === null ? {} : { message: message.message }),
      ...statusOf(status),
      ...(message.sender === null ? {} : { sender: message.sender }),
      ...(message.receptor === null ? {} : { receptor: message.receptor }),
      date,
      cost: COST,
    });
    return messageid;
  }

  find(messageid: bigint): ApiSelect | undefined {
    return this.#records[this.#indexOf(messageid)];
  }

  /** @returns false when there is no such message */
  setStatus(messageid: bigint, status: number, statustext?: string): boolean {
    const index = this.#indexOf(messageid);
    const record = this.#records[index];
    if (record === undefined) return false;
    this.#records[index] = { ...record, ...statusOf(status, statustext) };
    return true;
  }

  between(start: bigint, end: bigint): ApiSelect[] {
    return this.#records.filter(({ date }) => date >= start && date <= end);
  }

  /** Newest first. */
  latest(count: number): ApiSelect[] {
    return count > 0 ? this.#records.slice(-count).reverse() : [];
  }

  /** The position of a record follows from its id, because ids count up by one; -1 for an unknown id. */
  #indexOf(messageid: bigint): number {
    const index = messageid - FIRST_ID;
    return index >= 0n && index < BigInt(this.#records.length) ? Number(index) : -1;
  }
}

function statusOf(status: number, statustext = statusTexts.get(status) ?? ''): { status: number; statustext: string } {
  return { status, statustext };
}

export function unixSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
