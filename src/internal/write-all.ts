import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

// One write to a file may take only a part of the bytes, for example when the disk is nearly full.

/** Writes all bytes at the end of a file that was opened for appending. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, offset);
    offset += bytesWritten;
  }
}

/** Writes all bytes before it returns. */
function writeAllSync(descriptor: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
}

/** The number of characters that are written at once. */
const CHUNK = 1 << 18;

/** Writes many small texts to a file, many at once. */
export class TextWriter {
  /** The number of bytes that were written. */
  size = 0;
  #text = '';

  constructor(private readonly descriptor: number) {}

  /** Adds a text, which is written by the next `flush` at the latest. */
  put(text: string): void {
    this.#text += text;
    if (this.#text.length > CHUNK) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    writeAllSync(this.descriptor, bytes);
    this.size += bytes.length;
  }
}
