import { STATUS_CODES } from 'node:http';
import type { ErrorContext } from '../errors';
import type { HttpHeaders } from '../http/connection';
import { type WireMessage, wire } from './channels';

/** The limit for the part of a body that is published, in bytes. A response may be larger than the memory. */
export const PUBLISHED_BYTES = 1_048_576;

/**
 * Publishes a request on `messaging-soap:wire`.
 *
 * @param headers names and values in turn; undici adds `content-length`, and `connection`, which is unknown here
 */
export function publishRequest(context: ErrorContext, url: string, headers: readonly string[], body: string): void {
  const { host, pathname, search } = new URL(url);
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
  const bytes = Buffer.from(body);
  const text = bytes.toString('utf8', 0, PUBLISHED_BYTES);
  // A text that was cut off may end in half a key, which the mask does not find.
  const masked = bytes.length > PUBLISHED_BYTES ? context.maskTruncated(text) : context.mask(text);
  const start = [`POST ${pathname}${search} HTTP/1.1`, `host: ${host}`];
  publish(context, 'request', [...start, ...lines, `content-length: ${bytes.length}`], masked);
}

/** Publishes what has arrived of a response. @param body without the API key */
export function publishResponse(context: ErrorContext, httpStatus: number, headers: HttpHeaders, body: string): void {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  publish(context, 'response', [`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}`.trimEnd(), ...lines], body);
}

function publish(
  { operation = '', mask }: ErrorContext,
  direction: WireMessage['direction'],
  head: readonly string[],
  body: string,
): void {
  wire.publish({ operation, direction, head: mask([...head, ''].join('\r\n')), body });
}
