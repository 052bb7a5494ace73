import { createHash, hash } from 'node:crypto';
import { type BulkOperation, bulkFields, type FieldValue } from './fields';
import { likenessOf } from './likeness';
import type { RowValues } from './reader';

/** The fields by which a listed message is matched to a row. An absent text is null. */
export interface MessageKey {
  readonly sender?: string | null | undefined;
  readonly receptor?: string | null | undefined;
  readonly message?: string | null | undefined;
}

/** Digests sender, receptor and text to 64 bits. All line ends are equal: XML reads each as a line feed. */
export function digestMessage({ sender, receptor, message }: MessageKey): bigint {
  return digest([sender ?? null, receptor ?? null, message?.replace(/\r\n?/g, '\n') ?? null]);
}

/** Digests all values of a row to 64 bits. */
export function digestRow(values: RowValues): bigint {
  return digest(values.map((value) => (typeof value === 'bigint' ? String(value) : value)));
}

/** Digests what alike messages have in common to 64 bits. */
export function digestLikeness({ receptor, message }: MessageKey): bigint {
  return digest([likenessOf(receptor ?? null, message ?? null)]);
}

/** Digests texts to 64 bits. */
export function digestTexts(...texts: readonly (string | null)[]): bigint {
  return digest(texts);
}

/** Makes a function that picks the message's fields from a row. */
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

/** The digests of all rows, in 24 bytes a row. They show that the rows that are sent are those that were checked. */
export class RowDigests {
  #rows = new BigUint64Array(1024);
  #messages = new BigUint64Array(1024);
  #likenesses = new BigUint64Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(row: bigint, message: bigint, likeness: bigint): void {
    if (this.#count === this.#rows.length) {
      this.#rows = grow(this.#rows);
      this.#messages = grow(this.#messages);
      this.#likenesses = grow(this.#likenesses);
    }
    this.#rows[this.#count] = row;
    this.#messages[this.#count] = message;
    this.#likenesses[this.#count] = likeness;
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

  /** @param row counted from 1 */
  likeness(row: number): bigint {
    return this.#likenesses[row - 1] as bigint;
  }

  /**
   * Lists the rows that have the receptor and the text of another row, however they are written: after a lost response,
   * a message of one could be that of the other.
   */
  indistinguishable(): number[] {
    const likenesses = this.#likenesses.subarray(0, this.#count);
    const sorted = likenesses.slice().sort();
    const repeated = new Set(sorted.filter((likeness, index) => likeness === sorted[index - 1]));
    const rows: number[] = [];
    for (const [index, likeness] of likenesses.entries()) if (repeated.has(likeness)) rows.push(index + 1);
    return rows;
  }

  /** A digest of all rows and of the options with which they are sent. It is equal for lists that are sent alike. */
  fingerprint(options: readonly unknown[]): string {
    const sum = createHash('sha256').update(JSON.stringify(options));
    return sum.update(this.#rows.subarray(0, this.#count)).digest('hex');
  }
}

function grow(array: BigUint64Array<ArrayBuffer>): BigUint64Array<ArrayBuffer> {
  const larger = new BigUint64Array(array.length * 2);
  larger.set(array);
  return larger;
}
