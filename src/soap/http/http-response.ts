import type { ResponseHead } from './transport';

/** Why bytes are no answer in HTTP/1.1. The message holds none of them, since they may hold the API key. */
export class HttpSyntaxError extends Error {
  readonly code = 'ERR_HTTP_SYNTAX';
}

/** What an answer is told to as it is read. */
export interface HttpReceiver {
  onHeaders(head: ResponseHead): void;
  /** Bytes of the body, once for each `read` at most. */
  onData(chunk: Buffer): void;
}

/** What tells where a body ends. */
type Framing = 'nothing' | 'length' | 'chunks' | 'connection';

/**
 * One answer in HTTP/1.1 (RFC 9112), read as its bytes arrive. It takes no spelling that could be understood in two ways:
 * what one call is given must never be a part of another's answer.
 */
export class HttpResponse {
  /** Whether all of it has been read. */
  complete = false;
  /** Whether another request may follow on the connection. */
  reusable = false;
  /** How long the connection may wait for it, in milliseconds, as far as the service says so. */
  maxIdleMs = Number.POSITIVE_INFINITY;
  readonly #receiver: HttpReceiver;
  #framing: Framing | undefined;
  /** Bytes still to come of the body, or of the chunk. */
  #left = 0;
  /** What the next line of a body in chunks is. */
  #line: 'size' | 'end of chunk' | 'trailer' = 'size';
  #trailerLength = 0;
  /** The beginning of a head or of a line that is not whole yet. */
  #held: Buffer | undefined;

  constructor(receiver: HttpReceiver) {
    this.#receiver = receiver;
  }

  /** @throws {HttpSyntaxError} */
  read(chunk: Buffer): void {
    const bytes = this.#framing === undefined ? this.#readHead(chunk) : chunk;
    if (bytes === undefined) return;
    const surplus = this.#readBody(bytes);
    // Bytes after the end answer nothing that was asked.
    if (this.complete && surplus > 0) this.reusable = false;
  }

  /** To be called when the connection ended in good order; false when the answer is not complete even so. */
  end(): boolean {
    if (this.#framing === 'connection') this.complete = true;
    return this.complete;
  }

  /** Gives what follows the head, or undefined when there is more of it to come. */
  #readHead(chunk: Buffer): Buffer | undefined {
    let bytes = this.#held ? Buffer.concat([this.#held, chunk]) : chunk;
    for (;;) {
      const end = bytes.indexOf(HEAD_END);
      if (end < 0 ? bytes.length > MAX_HEAD : end > MAX_HEAD) throw new HttpSyntaxError('the head is too long');
      if (end < 0) {
        checkBeginning(bytes);
        this.#held = bytes;
        return undefined;
      }
      const head = parseHead(bytes.toString('latin1', 0, end + LINE_END.length));
      bytes = bytes.subarray(end + HEAD_END.length);
      if (head.status < 200) {
        // Information (RFC 9110, section 15.2): the answer is still to come, unless it says that nothing will.
        if (head.status === 101) throw new HttpSyntaxError('the service switched to another protocol');
        if (!head.keepAlive) throw new HttpSyntaxError('there is information, and no answer');
        continue;
      }
      this.#held = undefined;
      this.#framing = framingOf(head);
      if (this.#framing === 'length') this.#left = Number(head.contentLength);
      this.reusable = this.#framing !== 'connection' && head.keepAlive;
      this.maxIdleMs = head.maxIdleMs;
      this.#receiver.onHeaders(head);
      return bytes;
    }
  }

  /** Gives the number of bytes that are not part of it any more. */
  #readBody(bytes: Buffer): number {
    switch (this.#framing) {
      case 'nothing':
        this.complete = true;
        return bytes.length;
      case 'length': {
        const length = Math.min(bytes.length, this.#left);
        this.#left -= length;
        this.complete = this.#left === 0;
        if (length > 0) this.#receiver.onData(length === bytes.length ? bytes : bytes.subarray(0, length));
        return bytes.length - length;
      }
      case 'chunks':
        return this.#readChunks(bytes);
      default:
        if (bytes.length > 0) this.#receiver.onData(bytes);
        return 0;
    }
  }

  /** RFC 9112, section 7.1. */
  #readChunks(chunk: Buffer): number {
    let bytes = this.#held ? Buffer.concat([this.#held, chunk]) : chunk;
    this.#held = undefined;
    const pieces: Buffer[] = [];
    while (!this.complete && bytes.length > 0) {
      if (this.#left > 0) {
        const piece = bytes.subarray(0, this.#left);
        pieces.push(piece);
        this.#left -= piece.length;
        bytes = bytes.subarray(piece.length);
        continue;
      }
      const end = bytes.indexOf(LINE_END);
      if (end < 0) {
        if (bytes.length > MAX_HEAD || (this.#line === 'end of chunk' && bytes.length > 1)) throw badChunk();
        this.#held = bytes;
        break;
      }
      this.#readLine(bytes.toString('latin1', 0, end + LINE_END.length));
      bytes = bytes.subarray(end + LINE_END.length);
    }
    if (pieces.length > 0) this.#receiver.onData(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
    return this.complete ? bytes.length : 0;
  }

  #readLine(line: string): void {
    switch (this.#line) {
      case 'size': {
        const [, size] = CHUNK_SIZE.exec(line) ?? [];
        if (size === undefined) throw badChunk();
        this.#left = Number.parseInt(size, 16);
        this.#line = this.#left > 0 ? 'end of chunk' : 'trailer';
        return;
      }
      case 'end of chunk':
        if (line !== LINE_END) throw badChunk();
        this.#line = 'size';
        return;
      case 'trailer':
        this.#trailerLength += line.length;
        if (line === LINE_END) this.complete = true;
        else if (this.#trailerLength > MAX_HEAD || !TRAILER.test(line)) throw badChunk();
    }
  }
}

const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';
/** In bytes; what Node allows too. */
const MAX_HEAD = 16_384;
const BEGINNING = 'HTTP/1.';
/** RFC 9110, section 5.6.2. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** What is neither the end of a line nor another control character. */
const TEXT = '[\\t\\x20-\\x7e\\x80-\\xff]*';
const QUOTED = '"(?:[^"\\\\\\x00-\\x08\\x0a-\\x1f\\x7f]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const STATUS_LINE = new RegExp(`^HTTP/1\\.([01]) ([1-9][0-9]{2})(?: ${TEXT})?\\r\\n`);
const FIELD = new RegExp(`(${TOKEN}):(${TEXT})\\r\\n`, 'y');
/** A field that says nothing of where the body ends. */
const TRAILER = new RegExp(`^(?!(?:content-length|transfer-encoding):)${TOKEN}:${TEXT}\\r\\n$`, 'i');
/** With extensions, which mean nothing here. More digits than a number can hold exactly are no size of anything. */
const CHUNK_SIZE = new RegExp(`^([0-9A-Fa-f]{1,13})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*\\r\\n$`);
/** Tabs around them are legal, but readers of HTTP differ about those: they are no spelling to know a body's end by. */
const CONTENT_LENGTH = /^ *[0-9]{1,15} *$/;
const CHUNKED = /^ *chunked *$/i;
const IDLE_SECONDS = /(?:^|,)[ \t]*timeout=([0-9]{1,9})[ \t]*(?:,|$)/i;
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

interface Head extends ResponseHead {
  readonly contentLength: string | undefined;
  readonly chunked: boolean;
  readonly keepAlive: boolean;
  readonly maxIdleMs: number;
}

/** @param text the status line and the fields, each with its line's end */
function parseHead(text: string): Head {
  const statusLine = STATUS_LINE.exec(text);
  if (!statusLine) throw notHttp();
  let contentType = '';
  let contentEncoding = '';
  let contentLength: string | undefined;
  let chunked = false;
  let close = false;
  let idleSeconds: string | undefined;
  for (let position = statusLine[0].length; position < text.length; position = FIELD.lastIndex) {
    FIELD.lastIndex = position;
    const field = FIELD.exec(text);
    if (!field) throw new HttpSyntaxError('a header is malformed');
    const value = field[2] as string;
    switch ((field[1] as string).toLowerCase()) {
      case 'content-type':
        contentType ||= value.trim();
        break;
      case 'content-encoding':
        contentEncoding = contentEncoding === '' ? value.trim() : `${contentEncoding}, ${value.trim()}`;
        break;
      case 'content-length':
        if (contentLength !== undefined) throw new HttpSyntaxError('Content-Length is there twice');
        contentLength = value;
        if (!CONTENT_LENGTH.test(value)) throw new HttpSyntaxError('Content-Length is no length');
        break;
      case 'transfer-encoding':
        if (chunked || !CHUNKED.test(value)) throw new HttpSyntaxError('Transfer-Encoding is not known');
        chunked = true;
        break;
      case 'connection':
        close ||= CLOSE.test(value);
        break;
      case 'keep-alive':
        idleSeconds ??= IDLE_SECONDS.exec(value)?.[1];
        break;
    }
  }
  return {
    status: Number(statusLine[2]),
    contentType,
    contentEncoding,
    contentLength,
    chunked,
    keepAlive: statusLine[1] === '1' && !close,
    maxIdleMs: idleSeconds === undefined ? Number.POSITIVE_INFINITY : 1000 * Number(idleSeconds),
  };
}

/** RFC 9112, section 6.3. */
function framingOf({ status, contentLength, chunked }: Head): Framing {
  if (status === 204 || status === 304) return 'nothing';
  if (chunked && contentLength !== undefined)
    throw new HttpSyntaxError('both Content-Length and Transfer-Encoding are there');
  if (chunked) return 'chunks';
  return contentLength === undefined ? 'connection' : 'length';
}

/** What can never become a head is refused at once, and not when time is up. */
function checkBeginning(bytes: Buffer): void {
  const text = bytes.toString('latin1');
  if (!text.startsWith(BEGINNING.slice(0, text.length)) || /(?:^|[^\r])\n/.test(text)) throw notHttp();
}

function notHttp(): HttpSyntaxError {
  return new HttpSyntaxError('it is not HTTP/1.1');
}

function badChunk(): HttpSyntaxError {
  return new HttpSyntaxError('a chunk of the body is malformed');
}
