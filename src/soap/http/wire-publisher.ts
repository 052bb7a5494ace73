import { STATUS_CODES } from 'node:http';
import type { ErrorContext } from '../../errors';
import { type WireMessage, wire } from '../call/channels';
import { decodeText } from '../response/response-body';
import type { HttpHeaders } from './connection-pool';

/** How much of a body is shown, in bytes: an answer may be longer than memory is large. */
const SHOWN_BYTES = 1_048_576;

/** Publishes one request and its answer on the channel `messaging-soap:wire`. It exists only while someone listens. */
export class WireLog {
  readonly #context: ErrorContext;
  readonly #request: { readonly head: string; readonly body: Buffer };
  #answer: { readonly head: string; readonly charset: string | undefined } | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** @param headers names and values in turn; undici adds `content-length`, and `connection`, which is not known here */
  constructor(context: ErrorContext, url: string, headers: readonly string[], body: string | Buffer) {
    this.#context = context;
    const { host, pathname, search } = new URL(url);
    const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
    const bytes = Buffer.from(body);
    const start = [`POST ${pathname}${search} HTTP/1.1`, `host: ${host}`];
    const head = [...start, ...lines, `content-length: ${bytes.length}`, ''].join('\r\n');
    this.#request = { head, body: bytes };
  }

  /** To be called when the request begins to be written. */
  publishRequest(): void {
    const { head, body } = this.#request;
    this.#publish('request', head, body, 'utf-8', false);
  }

  startAnswer(httpStatus: number, headers: HttpHeaders, charset: string | undefined): void {
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one) => `${name}: ${one}`),
    );
    const head = [`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}`.trimEnd(), ...lines, ''].join('\r\n');
    this.#answer = { head, charset };
  }

  /** Keeps decompressed bytes of the answer. */
  addToAnswer(chunk: Buffer): void {
    if (this.#size <= SHOWN_BYTES) this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** Publishes what has arrived of an answer, if anything has. @param whole whether that is all of it */
  publishAnswer(whole: boolean): void {
    if (!this.#answer) return;
    const { head, charset } = this.#answer;
    this.#publish('response', head, Buffer.concat(this.#chunks), charset, !whole);
    this.#answer = undefined;
  }

  #publish(
    direction: WireMessage['direction'],
    head: string,
    body: Buffer,
    charset: string | undefined,
    truncated: boolean,
  ): void {
    const { operation = '', mask, maskTruncated } = this.#context;
    const text = decodeText(body.subarray(0, SHOWN_BYTES), charset);
    // What was cut may end in half a key, which the mask would not know.
    const masked = truncated || body.length > SHOWN_BYTES ? maskTruncated(text) : mask(text);
    wire.publish({ operation, direction, head: mask(head), body: masked });
  }
}
