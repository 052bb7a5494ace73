import { hash } from 'node:crypto';
import { receptorLikeness, textLikeness } from '../../messages/person';
import type { MessageKey, RowField, RowValues } from './fields';

/** Digests sender, receptor and text. All line ends are equal: XML reads each as a line feed. */
export function digestMessage({ sender, receptor, message }: MessageKey): bigint {
  return digestValues([sender ?? null, receptor ?? null, message?.replace(/\r\n?/g, '\n') ?? null]);
}

/** Digests the values of a row by their names: the contract may have further fields later, which the row leaves out. */
export function digestRow(values: RowValues, fields: readonly RowField[]): bigint {
  const named: unknown[] = [];
  for (let index = 0; index < fields.length; index++) {
    const value = values[index];
    // An id that the program makes differs from one that is left out.
    if (value !== null) named.push(fields[index]?.name, value === undefined ? [] : String(value));
  }
  return digestValues(named);
}

/**
 * Digests what alike messages have in common: their receptors end in the same seven digits and their texts are equal
 * but for blanks and the script of their digits. A service may write both in another way.
 */
export function digestLikeness({ receptor, message }: MessageKey): bigint {
  return digestValues([receptorLikeness(receptor), textLikeness(message)]);
}

/** Digests values to 64 bits. @param values as JSON has them */
export function digestValues(values: readonly unknown[]): bigint {
  return BigInt(`0x${hash('sha256', JSON.stringify(values), 'hex').slice(0, 16)}`);
}

/** Digests in 8 bytes each: a list may have millions of rows. */
export class DigestList {
  #digests = new BigUint64Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get all(): BigUint64Array {
    return this.#digests.subarray(0, this.#count);
  }

  add(digest: bigint): void {
    if (this.#count === this.#digests.length) {
      const larger = new BigUint64Array(2 * this.#count);
      larger.set(this.#digests);
      this.#digests = larger;
    }
    this.#digests[this.#count] = digest;
    this.#count += 1;
  }

  /** @param row counted from 1 */
  at(row: number): bigint | undefined {
    return row <= this.#count ? this.#digests[row - 1] : undefined;
  }
}
