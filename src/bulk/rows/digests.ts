import { hash } from 'node:crypto';
import type { MessageKey, RowValues } from './fields';
import { receptorLikeness, textLikeness } from './likeness';

/** Digests sender, receptor and text. All line ends are equal: XML reads each as a line feed. */
export function digestMessage({ sender, receptor, message }: MessageKey): bigint {
  return digestValues([sender ?? null, receptor ?? null, message?.replace(/\r\n?/g, '\n') ?? null]);
}

export function digestRow(values: RowValues): bigint {
  // An id that the program makes differs from one that is left out.
  return digestValues(
    values.map((value) => (typeof value === 'bigint' ? String(value) : value === undefined ? [] : value)),
  );
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

  /** Lists the rows whose digest another row has too. */
  repeated(): number[] {
    const sorted = this.all.slice().sort();
    const repeated = new Set(sorted.filter((digest, index) => digest === sorted[index - 1]));
    if (repeated.size === 0) return [];
    return Array.from(this.all, (digest, index) => (repeated.has(digest) ? index + 1 : 0)).filter((row) => row > 0);
  }
}
