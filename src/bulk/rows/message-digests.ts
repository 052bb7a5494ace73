import { furtherDigits, personOf } from '../../messages/person';
import { digestLikeness, digestValues } from './digests';
import type { MessageKey } from './fields';

/** The bytes of a row: 8 for its message, 2 for the further digits of its receptor, 6 for its person. */
const ROW_BYTES = 16;
/** The number of rows in a chunk, which is a record of the journal. */
const CHUNK_ROWS = 4096;

/**
 * The message of each row, and its person: two rows with an equal message and equal further digits say the same to the
 * same person. Whoever has the digests can find out the numbers, by trying all of them.
 */
export class MessageDigests {
  /** The number of rows. */
  count = 0;
  #chunks: Buffer[] = [];

  add(message: MessageKey): void {
    const { receptor, message: text } = message;
    const isNil = receptor == null || text == null;
    const [chunk, offset] = this.#next();
    chunk.writeBigUInt64BE(isNil ? digestValues([receptor ?? null, text ?? null]) : digestLikeness(message), offset);
    chunk.writeUInt16BE(furtherDigits(receptor ?? ''), offset + 8);
    chunk.writeUIntBE(personOf(receptor), offset + 10, 6);
  }

  /** Adds the rows of a record. Returns false when it has other rows than `countRecord` says. */
  addRecord(base64: string): boolean {
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length !== countRecord(base64) * ROW_BYTES) return false;
    for (let start = 0; start < bytes.length; start += ROW_BYTES) {
      const [chunk, offset] = this.#next();
      bytes.copy(chunk, offset, start, start + ROW_BYTES);
    }
    return true;
  }

  /** Frees the memory of all rows. */
  clear(): void {
    this.count = 0;
    this.#chunks = [];
  }

  /** The bytes of all rows in base64, and the number of rows, for a record each. */
  *records(): Generator<readonly [data: string, rows: number]> {
    for (const [index, chunk] of this.#chunks.entries()) {
      const rows = Math.min(CHUNK_ROWS, this.count - index * CHUNK_ROWS);
      yield [chunk.toString('base64', 0, rows * ROW_BYTES), rows];
    }
  }

  /** The digest of the last seven digits of a row's receptor, and of its text. @param row counted from 1 */
  message(row: number): bigint {
    return this.#chunkOf(row).readBigUInt64BE(offsetOf(row));
  }

  /** The further digits of a row's receptor, as `furtherDigits` has them. */
  further(row: number): number {
    return this.#chunkOf(row).readUInt16BE(offsetOf(row) + 8);
  }

  /** The person of a row, without its further digits, as `personOf` has it. */
  person(row: number): number {
    return this.#chunkOf(row).readUIntBE(offsetOf(row) + 10, 6);
  }

  /** Lists the rows that have the last seven digits and the text of another row. */
  repeated(): number[] {
    const all = BigUint64Array.from({ length: this.count }, (_, index) => this.message(index + 1));
    const sorted = all.slice().sort();
    const repeated = new Set(sorted.filter((digest, index) => digest === sorted[index - 1]));
    if (repeated.size === 0) return [];
    return Array.from(all, (digest, index) => (repeated.has(digest) ? index + 1 : 0)).filter((row) => row > 0);
  }

  /** Makes room for one more row. */
  #next(): readonly [chunk: Buffer, offset: number] {
    this.count += 1;
    if (this.count > this.#chunks.length * CHUNK_ROWS) this.#chunks.push(Buffer.alloc(CHUNK_ROWS * ROW_BYTES));
    return [this.#chunkOf(this.count), offsetOf(this.count)];
  }

  #chunkOf(row: number): Buffer {
    return this.#chunks[Math.floor((row - 1) / CHUNK_ROWS)] as Buffer;
  }
}

/** The number of rows of a record, which is not decoded for it; 0 when it has no whole rows. */
export function countRecord(base64: string): number {
  const bytes = (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
  return bytes % ROW_BYTES === 0 ? bytes / ROW_BYTES : 0;
}

function offsetOf(row: number): number {
  return ((row - 1) % CHUNK_ROWS) * ROW_BYTES;
}
