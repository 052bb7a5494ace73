/**
 * How an answer is read
 *
 * Bytes come in as they arrive and are read at once, straight to the values that the typed stubs describe; nothing keeps
 * the whole body. Everything is driven by the operation table (shape.ts). There are two readers:
 *
 * - The plain reader (plain.ts) knows one spelling: the one that real servers write, without white space, with one prefix
 *   on Envelope and Body and none elsewhere. It matches one regular expression per item, and
 *   copies the texts out of the bytes.
 * - The full reader (full.ts) knows XML: saxes gives it tags and text, and a stack of frames says what they mean.
 *
 * An answer starts with the plain reader. As soon as something is not plain (a comment, another prefix, a nil attribute, an
 * error) the full reader takes over for good: it is given the start of the envelope again, so that it stands inside the
 * list, and then every byte that the plain reader did not read. Both push items into the same array. Since the plain
 * spelling is a subset of XML, and the full reader decides on whatever is left, both give the same answer; a test holds
 * them to it. Another encoding than UTF-8 goes to the full reader from the start.
 *
 * Between two chunks the plain reader leaves an incomplete item. It waits for the rest while that is small; a larger one goes
 * to the full reader, which never looks at a byte twice.
 */
import { TextDecoder } from 'node:util';
import type { OperationName } from '../../../generated/operations';
import { declaredEncoding, encodingOfMark } from '../../xml/encoding';
import { type EnvelopeContent, quoteLabel, ReadError } from './answer';
import { type FastPatterns, FastReader, fastPatterns } from './fast-reader';
import type { SaxReader } from './sax-reader';
import { type ResponseSchema, responseSchema } from './schema';

/** What reading an operation's answers needs, computed once per client. */
export interface ReadingPlan {
  readonly shape: ResponseSchema;
  readonly patterns: FastPatterns | undefined;
}

export function readingPlan(namespace: string, operation: OperationName): ReadingPlan {
  const shape = responseSchema(namespace, operation);
  return { shape, patterns: fastPatterns(shape) };
}

/** An XML declaration is shorter. */
const ENCODING_BYTES = 200;
const NOTHING = Buffer.alloc(0);

/** Reads one answer. */
export class ResponseReader {
  readonly #plan: ReadingPlan;
  readonly #charset: string | undefined;
  readonly #items: unknown[] = [];
  #taken = 0;
  #plain: FastReader | undefined;
  #full: SaxReader | undefined;
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
    if (this.#full) return this.#writeFull(this.#full, chunk);
    if (this.#plain) {
      if (!this.#plain.write(chunk)) this.#switchToFull(this.#plain.left);
      return;
    }
    const bytes = this.#first.length ? Buffer.concat([this.#first, chunk]) : chunk;
    // The encoding shows in the first bytes, and a chunk may be shorter.
    if (bytes.length < ENCODING_BYTES && !bytes.includes('?>')) this.#first = bytes;
    else this.#start(bytes);
  }

  /** @throws {ReadError} */
  end(): EnvelopeContent {
    if (!this.#full && !this.#plain) {
      if (this.#first.length === 0) throw new ReadError('the body is empty');
      this.#start(this.#first);
    }
    if (this.#plain) {
      const response = this.#plain.end();
      if (response) return { response };
      this.#switchToFull(this.#plain.left);
    }
    const full = this.#full as unknown as SaxReader;
    full.write(this.#decode(NOTHING, false));
    return full.end();
  }

  /** The items read since the last time; they are then no longer part of the answer. */
  takeItems(): unknown[] {
    this.#taken += this.#items.length;
    return this.#items.splice(0);
  }

  #start(bytes: Buffer): void {
    this.#encoding = encodingOf(bytes, this.#charset);
    const { patterns } = this.#plan;
    if (!patterns || this.#encoding !== 'utf-8') return this.#switchToFull(bytes);
    this.#plain = new FastReader(patterns, this.#items);
    if (!this.#plain.write(bytes)) this.#switchToFull(this.#plain.left);
  }

  #switchToFull(left: Buffer): void {
    // Loaded, with saxes, when an answer needs it: most never do.
    const { SaxReader: Full } = require('./sax-reader') as typeof import('./sax-reader');
    const full = new Full(this.#plan.shape, this.#items, this.#taken + this.#items.length);
    this.#full = full;
    try {
      this.#decoder = new TextDecoder(this.#encoding, { fatal: true });
    } catch {
      throw new ReadError((quote) => `the encoding ${quoteLabel(this.#charset ?? this.#encoding, quote)} is not known`);
    }
    full.write((this.#plain?.opening ?? '').replace(/^\ufeff/, ''));
    this.#plain = undefined;
    this.#writeFull(full, left);
  }

  #writeFull(full: SaxReader, bytes: Buffer): void {
    full.write(this.#decode(bytes, true));
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

/** Byte order mark, then HTTP's charset, then the XML declaration, then UTF-8. */
export function encodingOf(bytes: Buffer, declaredByHttp: string | undefined): string {
  const charset = declaredByHttp?.toLowerCase();
  const mark = encodingOfMark(bytes);
  if (mark) return mark;
  if (charset === 'utf-16') return bytes[0] === 0 ? 'utf-16be' : 'utf-16le';
  if (charset) return charset === 'utf8' ? 'utf-8' : charset;
  const label = declaredEncoding(bytes)?.toLowerCase() ?? 'utf-8';
  // A declaration that can be read as ASCII is not in UTF-16, though .NET services that write to a string say so.
  return label.startsWith('utf-16') ? 'utf-8' : label;
}
