import { createHash, hash } from 'node:crypto';
import type { PlanOptions } from '../journal/records';
import { type BulkOperation, bulkFields, type FieldValue } from './bulk-fields';
import type { RowValues } from './row-reader';

/** What identifies a message for who looks at a list of them. An absent text is null. */
export interface MessageKey {
  readonly sender?: string | null | undefined;
  readonly receptor?: string | null | undefined;
  readonly message?: string | null | undefined;
}

/** 64 bits of a message's sender, receptor and text. Line ends are alike: XML reads each as a line feed. */
export function digestMessage({ sender, receptor, message }: MessageKey): bigint {
  return digest([sender ?? null, receptor ?? null, message?.replace(/\r\n?/g, '\n') ?? null]);
}

/** 64 bits of all that is sent of a row. */
export function digestRow(values: RowValues): bigint {
  return digest(values.map((value) => (typeof value === 'bigint' ? String(value) : value)));
}

/** Gives what identifies the message of a row. */
export function messageReader(operation: BulkOperation): (values: RowValues) => MessageKey {
  const names = bulkFields(operation).map(({ name }) => name);
  const [sender, receptor, message] = (['sender', 'receptor', 'message'] as const).map((name) => names.indexOf(name));
  const text = (values: RowValues, index: number | undefined) => values[index as number] as string | null;
  return (values) => ({
    sender: text(values, sender),
    receptor: text(values, receptor),
    message: text(values, message),
  });
}

function digest(values: readonly Exclude<FieldValue, bigint>[]): bigint {
  return BigInt(`0x${hash('sha256', JSON.stringify(values), 'hex').slice(0, 16)}`);
}

/** The digests of all rows, in 16 bytes a row: what was checked is what is sent, and what is looked for. */
export class RowDigests {
  #rows = new BigUint64Array(1024);
  #messages = new BigUint64Array(1024);
  #count = 0;
  #date: FieldValue | undefined;
  /** Whether rows differ in the date at which they are to be sent. */
  haveOwnDates = false;

  get count(): number {
    return this.#count;
  }

  add(row: bigint, message: bigint, date: FieldValue): void {
    this.#date ??= date;
    if (date !== this.#date) this.haveOwnDates = true;
    if (this.#count === this.#rows.length) {
      this.#rows = grow(this.#rows);
      this.#messages = grow(this.#messages);
    }
    this.#rows[this.#count] = row;
    this.#messages[this.#count] = message;
    this.#count += 1;
  }

  /** @param row counted from 1 */
  row(row: number): bigint | undefined {
    return row <= this.#count ? this.#rows[row - 1] : undefined;
  }

  /** @param row counted from 1 */
  message(row: number): bigint {
    return this.#messages[row - 1] as bigint;
  }

  /** Equal for rows that are sent alike: it covers the input, templates, fields and options. */
  fingerprint(options: PlanOptions): string {
    const { operation, batchSize, idsInOrder, startWithinMs } = options;
    const sum = createHash('sha256').update(JSON.stringify([operation, batchSize, idsInOrder, startWithinMs]));
    return sum.update(this.#rows.subarray(0, this.#count)).digest('hex');
  }
}

function grow(array: BigUint64Array<ArrayBuffer>): BigUint64Array<ArrayBuffer> {
  const larger = new BigUint64Array(array.length * 2);
  larger.set(array);
  return larger;
}
