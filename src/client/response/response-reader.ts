import type { TextDecoder } from 'node:util';
import type { Masker } from '../../internal/mask';
import type { ResponseElement, ResponseObject } from '../../soap/element';
import {
  createDecoder,
  decodeBytes,
  encodingOf,
  isAsciiLabel,
  isKnownEncoding,
  withoutBlanksInFront,
} from '../../xml/encoding';
import { type FastPatterns, FastReader } from './fast-reader';
import { ReadError, unknownEncoding } from './reading-words';
import { SaxReader } from './sax-reader';

/** The part of an operation's plan that reading its responses needs. */
export interface ResponsePlan {
  readonly context: Masker;
  readonly expected: ResponseElement;
  /** Undefined for a result that only the SAX reader reads. */
  readonly patterns: FastPatterns | undefined;
}

/** The number of bytes after which the encoding is known. An XML declaration is shorter. */
const ENCODING_BYTES = 200;
/** The number of bytes that an error needs. They are more than its 1,000 characters, for the mask to work on. */
const KEPT_BYTES = 16_384;
const NOTHING = Buffer.alloc(0);

/**
 * Reads the body of one response while its bytes arrive, straight into the values that the typed stubs describe. It
 * never keeps the whole body.
 *
 * There are two readers, both driven by the operation table (generated/operations.ts):
 *
 * - The fast reader (fast-reader.ts) reads one serialization: the one that real servers write, without white space,
 *   with one prefix on Envelope and Body and none elsewhere. It matches one regular expression for each item and copies
 *   texts out of the bytes.
 * - The SAX reader (sax-reader.ts) reads all of XML. saxes finds the tags and the text.
 *
 * Each response starts with the fast reader. As soon as the fast reader finds something outside its serialization (a
 * comment, another prefix, a nil attribute, an error), the SAX reader takes over for the rest: it is given the start of
 * the envelope again, so that it is inside the list, and then every byte that the fast reader did not read. Both add
 * items to the same array. The fast reader accepts a subset of XML only, so both give the same response. An encoding
 * other than UTF-8 goes to the SAX reader from the start.
 *
 * Between two chunks the fast reader keeps an incomplete item. A large one goes to the SAX reader, which reads no byte
 * twice.
 */
export class ResponseReader {
  readonly #plan: ResponsePlan;
  readonly #charset: string | undefined;
  readonly #maxBytes: number;
  readonly #keptBytes: number;
  readonly #onUnreadable: ((message: string) => void) | undefined;
  readonly #items: unknown[] = [];
  #taken = 0;
  /** The first bytes, while they do not show the encoding. */
  #first: Buffer = NOTHING;
  #encoding = '';
  #fast: FastReader | undefined;
  #sax: SaxReader | undefined;
  #decoder: TextDecoder | undefined;
  /** The number of bytes of ASCII or UTF-8 that were decoded, where the body claims to be ASCII. */
  #decoded = 0;
  #failure: ReadError | undefined;
  #received = 0;
  readonly #kept: Buffer[] = [];
  #isWhole = false;

  /**
   * @param charset the charset of the Content-Type, if there is one
   * @param maxBytes the limit for the body, after decompression
   * @param keptBytes the number of bytes that are kept for `beginning`
   * @param onUnreadable takes the problem of an item that cannot be read. Without it, no response has such an item
   */
  constructor(
    plan: ResponsePlan,
    charset: string | undefined,
    maxBytes: number,
    keptBytes = KEPT_BYTES,
    onUnreadable?: (message: string) => void,
  ) {
    this.#plan = plan;
    this.#charset = charset;
    this.#maxBytes = maxBytes;
    this.#keptBytes = keptBytes;
    this.#onUnreadable = onUnreadable;
  }

  /** Reads decompressed bytes, and keeps a failure for `end` to throw. False when no more bytes are needed. */
  write(chunk: Buffer): boolean {
    if (this.#received < this.#keptBytes) this.#kept.push(chunk);
    this.#received += chunk.length;
    if (this.#received > this.#maxBytes) {
      this.fail(`the body is larger than maxResponseBytes (${this.#maxBytes})`);
      return false;
    }
    // After a failure, the start of the body is still needed.
    if (this.#failure) return this.#received < this.#keptBytes;
    try {
      if (this.#sax) this.#sax.write(this.#decode(chunk, true));
      else if (!this.#fast) this.#begin(this.#first.length > 0 ? Buffer.concat([this.#first, chunk]) : chunk, false);
      else if (!this.#fast.tryRead(chunk)) this.#switchToSax(this.#fast);
    } catch (error) {
      // Any other error is a defect of this package.
      if (!(error instanceof ReadError)) throw error;
      this.#failure = error;
    }
    return true;
  }

  /** Notes why the body cannot be read. The first reason counts. */
  fail(message: string): void {
    this.#failure ??= new ReadError(message);
  }

  /** Takes the items of the result that were read since the last time. The response then does not contain them. */
  takeItems(): unknown[] {
    this.#taken += this.#items.length;
    return this.#items.splice(0);
  }

  /**
   * Ends the body and returns the response.
   *
   * @param isWhole true when all bytes of the body have arrived
   * @throws {ReadError} when the body is not the promised envelope
   * @throws {SoapFault} when the body is a fault
   */
  end(isWhole: boolean): ResponseObject {
    this.#isWhole = isWhole;
    if (this.#failure) throw this.#failure;
    if (this.#received === 0) throw new ReadError('the body is empty');
    if (!this.#sax && !this.#fast) this.#begin(this.#first, true);
    if (this.#fast) {
      const response = this.#fast.end();
      if (response) return response;
      this.#switchToSax(this.#fast);
    }
    const sax = this.#sax as SaxReader;
    sax.write(this.#decode(NOTHING, false));
    return sax.end();
  }

  /** The beginning of the body, decoded as the readers decode it, without the API key. */
  get beginning(): string {
    const { mask, maskTruncated } = this.#plan.context;
    const bytes = Buffer.concat(this.#kept).subarray(0, this.#keptBytes);
    const encoding = encodingOf(bytes, this.#charset);
    // The reader reports an unknown encoding. What is ASCII in it is readable all the same.
    const label = isKnownEncoding(encoding) ? encoding : 'utf-8';
    // A text that was cut off may end in half a key, which the mask does not find.
    const isCut = !this.#isWhole || this.#received > bytes.length;
    return (isCut ? maskTruncated : mask)(decodeBytes(bytes, label, { isCut }));
  }

  /** Chooses the reader. @param isAll true when no more bytes come; otherwise the XML declaration may be incomplete */
  #begin(received: Buffer, isAll: boolean): void {
    const bytes = withoutBlanksInFront(received);
    if (!isAll && bytes.length < ENCODING_BYTES && !bytes.includes('?>')) {
      this.#first = bytes;
      return;
    }
    const { patterns } = this.#plan;
    this.#encoding = encodingOf(bytes, this.#charset);
    if (!patterns || this.#encoding !== 'utf-8') {
      this.#createSax().write(this.#decode(bytes, true));
    } else {
      this.#fast = new FastReader(patterns, this.#items);
      if (!this.#fast.tryRead(bytes)) this.#switchToSax(this.#fast);
    }
  }

  #switchToSax({ prologue, unread }: FastReader): void {
    this.#fast = undefined;
    const sax = this.#createSax();
    sax.write(prologue.replace(/^\ufeff/, ''));
    sax.write(this.#decode(unread, true));
  }

  #createSax(): SaxReader {
    const { expected, context: masker } = this.#plan;
    try {
      this.#decoder = createDecoder(this.#encoding, { fatal: !isAsciiLabel(this.#encoding) });
    } catch {
      throw new ReadError(unknownEncoding('encoding in the XML declaration', this.#encoding, masker));
    }
    const count = this.#taken + this.#items.length;
    this.#sax = new SaxReader(expected, masker, this.#items, count, this.#onUnreadable);
    return this.#sax;
  }

  /** @param stream false when no more bytes come */
  #decode(bytes: Buffer, stream: boolean): string {
    let text: string;
    try {
      text = (this.#decoder as TextDecoder).decode(bytes, { stream });
    } catch {
      throw new ReadError(`the body is not valid ${this.#encoding}`);
    }
    if (!isAsciiLabel(this.#encoding)) return text;
    // UTF-8 that is called ASCII can be read. Of any other encoding, the text would change.
    const [valid = ''] = text.split('\ufffd', 1);
    this.#decoded += Buffer.byteLength(valid);
    if (valid.length < text.length)
      throw new ReadError(`the body is not valid ${this.#encoding}, from the byte at offset ${this.#decoded} on`);
    return text;
  }
}
