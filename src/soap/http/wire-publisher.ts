import { STATUS_CODES } from 'node:http';
import type { ErrorContext } from '../../errors';
import { type WireMessage, wire } from '../channels';
import { decodeText } from '../response/response-reader';
import type { HttpHeaders } from './connection-pool';

/** The limit for the part of a body that is published, in bytes. A response may be larger than the memory. */
const PUBLISHED_BYTES = 1_048_576;

/** Publishes one request and its response on `messaging-soap:wire`. It exists only while someone listens. */
export class WirePublisher {
  readonly #context: ErrorContext;
  readonly #request: { readonly head: string; readonly body: Buffer };
  #response: { readonly head: string; readonly charset: string | undefined } | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** @param headers names and values in turn; undici adds `content-length`, and `connection`, which is unknown here */
  constructor(context: ErrorContext, url: string, headers: readonly string[], body: string | Buffer) {
    this.#context = context;
    const { host, pathname, search } = new URL(url);
    const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
    const bytes = Buffer.from(body);
    const start = [`POST ${pathname}${search} HTTP/1.1`, `host: ${host}`];
    const head = [...start, ...lines, `content-length: ${bytes.length}`, ''].join('\r\n');
    this.#request = { head, body: bytes };
  }

  publishRequest(): void {
    const { head, body } = this.#request;
    this.#publish('request', head, body, 'utf-8', true);
  }

  startResponse(httpStatus: number, headers: HttpHeaders, charset: string | undefined): void {
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one) => `${name}: ${one}`),
    );
    const head = [`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}`.trimEnd(), ...lines, ''].join('\r\n');
    this.#response = { head, charset };
  }

  addToResponse(chunk: Buffer): void {
    if (this.#size <= PUBLISHED_BYTES) this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** Publishes what has arrived of a response, if anything. @param isWhole true when this is the whole response */
  publishResponse(isWhole: boolean): void {
    if (!this.#response) return;
    const { head, charset } = this.#response;
    this.#publish('response', head, Buffer.concat(this.#chunks), charset, isWhole);
    this.#response = undefined;
  }

  #publish(
    direction: WireMessage['direction'],
    head: string,
    body: Buffer,
    charset: string | undefined,
    isWhole: boolean,
  ): void {
    const { operation = '', mask, maskTruncated } = this.#context;
    const text = decodeText(body.subarray(0, PUBLISHED_BYTES), charset);
    // A text that was cut off may end in half a key, which the mask does not find.
    const masked = isWhole && body.length <= PUBLISHED_BYTES ? mask(text) : maskTruncated(text);
    wire.publish({ operation, direction, head: mask(head), body: masked });
  }
}
