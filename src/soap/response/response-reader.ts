import { TextDecoder } from 'node:util';
import type { OperationName } from '../../../generated/operations';
import { encodingOf } from '../../xml/encoding';
import { type EnvelopeContent, quoteLabel, ReadError } from './answer';
import { type FastPatterns, FastReader, fastPatterns } from './fast-reader';
import { SaxReader } from './sax-reader';
import { type ResponseSchema, responseSchema } from './schema';

/** What reading an operation's answers needs, computed once per client. */
export interface ReadingPlan {
  readonly schema: ResponseSchema;
  readonly patterns: FastPatterns | undefined;
}

export function readingPlan(namespace: string, operation: OperationName): ReadingPlan {
  const schema = responseSchema(namespace, operation);
  return { schema, patterns: fastPatterns(schema) };
}

/** The encoding is known after this many bytes: an XML declaration is shorter. */
const ENCODING_BYTES = 200;
const NOTHING = Buffer.alloc(0);

/**
 * Reads one answer while its bytes arrive, straight into the values that the typed stubs describe. The whole body is never kept.
 *
 * There are two readers, both driven by the operation table (schema.ts):
 *
 * - The fast reader (fast-reader.ts) reads one serialization: the one that real servers write, without white space, with one
 *   prefix on Envelope and Body and none elsewhere. It matches one regular expression for each item and copies texts out of the
 *   bytes.
 * - The SAX reader (sax-reader.ts) reads all of XML. saxes gives it tags and text.
 *
 * An answer starts with the fast reader. As soon as something is outside its serialization (a comment, another prefix, a nil
 * attribute, an error), the SAX reader takes over for the rest: it is given the start of the envelope again, so that it is
 * inside the list, and then every byte that the fast reader did not read. Both add items to the same array. The fast reader
 * accepts a subset of XML only, so both give the same answer. An encoding other than UTF-8 goes to the SAX reader from the start.
 *
 * Between two chunks the fast reader keeps an incomplete item. A large one goes to the SAX reader, which reads no byte twice.
 */
export class ResponseReader {
  readonly #plan: ReadingPlan;
  readonly #charset: string | undefined;
  readonly #items: unknown[] = [];
  #taken = 0;
  #fast: FastReader | undefined;
  #sax: SaxReader | undefined;
  #encoding = '';
  #decoder: TextDecoder | undefined;
  /** The first bytes, while they do not show the encoding. */
  #first: Buffer = NOTHING;

  /** @param charset what HTTP declares; a byte order mark wins over it, and it over the XML declaration */
  constructor(plan: ReadingPlan, charset?: string) {
    this.#plan = plan;
    this.#charset = charset;
  }

  /** @throws {ReadError} */
  write(chunk: Buffer): void {
    if (this.#sax) return this.#writeSax(this.#sax, chunk);
    if (this.#fast) {
      if (!this.#fast.write(chunk)) this.#switchToSax(this.#fast.left);
      return;
    }
    const bytes = this.#first.length ? Buffer.concat([this.#first, chunk]) : chunk;
    // A chunk may be shorter than the XML declaration.
    if (bytes.length < ENCODING_BYTES && !bytes.includes('?>')) this.#first = bytes;
    else this.#start(bytes);
  }

  /** @throws {ReadError} */
  end(): EnvelopeContent {
    if (!this.#sax && !this.#fast) {
      if (this.#first.length === 0) throw new ReadError('the body is empty');
      this.#start(this.#first);
    }
    if (this.#fast) {
      const response = this.#fast.end();
      if (response) return { response };
      this.#switchToSax(this.#fast.left);
    }
    const sax = this.#sax as SaxReader;
    sax.write(this.#decode(NOTHING, false));
    return sax.end();
  }

  /** The items read since the last time; they are then no longer part of the answer. */
  takeItems(): unknown[] {
    this.#taken += this.#items.length;
    return this.#items.splice(0);
  }

  #start(bytes: Buffer): void {
    this.#encoding = encodingOf(bytes, this.#charset);
    const { patterns } = this.#plan;
    if (!patterns || this.#encoding !== 'utf-8') return this.#switchToSax(bytes);
    this.#fast = new FastReader(patterns, this.#items);
    if (!this.#fast.write(bytes)) this.#switchToSax(this.#fast.left);
  }

  #switchToSax(left: Buffer): void {
    const sax = new SaxReader(this.#plan.schema, this.#items, this.#taken + this.#items.length);
    this.#sax = sax;
    try {
      this.#decoder = new TextDecoder(this.#encoding, { fatal: true });
    } catch {
      throw new ReadError((quote) => `the encoding ${quoteLabel(this.#encoding, quote)} is not known`);
    }
    sax.write((this.#fast?.prologue ?? '').replace(/^\ufeff/, ''));
    this.#fast = undefined;
    this.#writeSax(sax, left);
  }

  #writeSax(sax: SaxReader, bytes: Buffer): void {
    sax.write(this.#decode(bytes, true));
  }

  #decode(bytes: Buffer, stream: boolean): string {
    const decoder = this.#decoder as TextDecoder;
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      throw new ReadError(`the body is not valid ${decoder.encoding}`);
    }
  }
}
