import type { ErrorContext } from '../../errors';
import { encodingOf } from '../../xml/encoding';
import { type EnvelopeContent, ReadError } from './answer';
import { type ReadingPlan, ResponseReader } from './response-reader';

/** How much of a body is kept for an error message, in bytes: more than its 1,000 characters, for the mask to work on. */
const KEPT_BYTES = 16_384;

/** The body of one answer: it limits and reads the bytes while they arrive, and keeps the first ones for an error message. */
export class ResponseBody {
  readonly #reader: ResponseReader;
  readonly #charset: string | undefined;
  readonly #maxBytes: number;
  #received = 0;
  readonly #kept: Buffer[] = [];
  #failure: ReadError | undefined;
  /** Whether all of the body was received. */
  #whole = false;

  /** @param maxBytes limit for the body, after decompression */
  constructor(plan: ReadingPlan, charset: string | undefined, maxBytes: number) {
    this.#reader = new ResponseReader(plan, charset);
    this.#charset = charset;
    this.#maxBytes = maxBytes;
  }

  /** Why the body is not the promised envelope, as far as is known. */
  get failure(): ReadError | undefined {
    return this.#failure;
  }

  /** Reads decompressed bytes. False when no more are needed. */
  write(chunk: Buffer): boolean {
    if (this.#received < KEPT_BYTES) this.#kept.push(chunk);
    this.#received += chunk.length;
    if (this.#received > this.#maxBytes) {
      this.fail(new ReadError(`the body is larger than maxResponseBytes (${this.#maxBytes})`));
      return false;
    }
    // After a failure, the start of the body is still wanted for the error message.
    if (this.#failure) return this.#received < KEPT_BYTES;
    this.#read(() => this.#reader.write(chunk));
    return true;
  }

  /** Notes why the body cannot be read. The first reason counts. */
  fail(error: ReadError): void {
    this.#failure ??= error;
  }

  /** The items of the result that were read since the last time. They are no longer part of the content. */
  takeItems(): unknown[] {
    return this.#reader.takeItems();
  }

  /**
   * The content of the whole envelope, or undefined when there is a failure.
   *
   * @param whole whether no more bytes were to come
   */
  end(whole: boolean): EnvelopeContent | undefined {
    this.#whole = whole;
    return this.#failure ? undefined : this.#read(() => this.#reader.end());
  }

  /** The start of the body for an error, in the encoding that the reader used. */
  start({ maskTruncated }: ErrorContext): string {
    const bytes = Buffer.concat(this.#kept).subarray(0, KEPT_BYTES);
    const text = decodeText(bytes, this.#charset);
    // What was cut off may end in half a key, which the mask would not know.
    return this.#whole && this.#received === bytes.length ? text : maskTruncated(text);
  }

  /** Anything but a ReadError is a defect of this package and is thrown on. */
  #read<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      this.#failure = error;
      return undefined;
    }
  }
}

/** The text of a body in the encoding in which the readers read it. @param charset what HTTP declares */
export function decodeText(bytes: Buffer, charset: string | undefined): string {
  try {
    return new TextDecoder(encodingOf(bytes, charset)).decode(bytes);
  } catch {
    // An unknown encoding: the reader has said so, and what is ASCII can be shown.
    return bytes.toString('latin1');
  }
}
