import { constants, createReadStream, fstat, open } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { type ConnectorSettings, connect, explainFailure } from '../../http/connector';
import { contentCoding } from '../../http/decompress';
import { addressWithoutSecrets } from '../../internal/address';
import { parseContentType } from '../../internal/content-type';
import { version } from '../../internal/version';
import { decodeBytes, encodingOf } from '../../xml/encoding';
import { brokenFile, ContractError } from '../model/problems';
import type { ReadingLimits } from './xml-tree';

/** The error when a WSDL could not be fetched. */
export class FetchError extends Error {
  override name = 'FetchError';

  /** @param sent true when the request may have reached the host */
  constructor(
    message: string,
    readonly sent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The options of the client that say how to reach the host of a WSDL. */
export type Connection = Partial<Pick<ConnectorSettings, 'proxy' | 'tls'>>;

/**
 * Gets a document by a plain GET without the API key. Does not follow redirects.
 *
 * @throws {FetchError | ContractError} or the signal's reason
 */
export async function fetchDocument(
  url: URL,
  { proxy, tls = {} }: Connection,
  reading: ReadingLimits,
  signal: AbortSignal,
): Promise<string> {
  const name = nameOf(url.href);
  let socket: Socket | undefined;
  try {
    // A new connection, because a service may close a used one at any time. The signal has the only time limit.
    socket = await connect({ url: url.href, proxy, tls, connectTimeoutMs: 0 }, {}, signal);
    const response = await get(url, socket, signal);
    const { 'content-encoding': contentEncoding = '', 'content-type': contentType } = response.headers;
    const coding = contentCoding(contentEncoding);
    const isPacked = coding !== undefined && /^(?:x-)?gzip$/i.test(coding);
    const problem = findProblem(response, isPacked ? undefined : coding);
    if (problem !== undefined) throw new FetchError(`${name}: the response has ${problem}`, true);
    const unpacked = isPacked ? response.pipe(createGunzip()) : response;
    response.on('error', (error) => unpacked.destroy(error));
    const bytes = await readBytes(unpacked, name, reading);
    return decodeXml(bytes, name, parseContentType(contentType).parameters.get('charset'));
  } catch (error) {
    if (error instanceof FetchError || error instanceof ContractError) throw error;
    if (signal.aborted && !isTimeout(signal)) throw signal.reason;
    const reason = isTimeout(signal)
      ? 'no complete response within the time limit'
      : explainFailure(error as Error).message;
    throw new FetchError(`${name}: ${reason}`, socket !== undefined, { cause: error });
  } finally {
    socket?.destroy();
  }
}

function get(url: URL, socket: Socket, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: url.host,
      accept: 'text/xml, application/xml, */*',
      'user-agent': `messaging-soap/${version}`,
    };
    // Node's http writes to any socket, and takes no other protocol.
    const options = { ...urlToHttpOptions(url), protocol: 'http:', createConnection: () => socket, headers, signal };
    request(options, resolve).on('error', reject).end();
  });
}

/**
 * Reads a file.
 *
 * @throws {NodeJS.ErrnoException} when the file cannot be read
 */
export async function readDocument(path: string, reading: ReadingLimits, signal: AbortSignal): Promise<string> {
  // A pipe is opened without waiting for its writer: Node can neither abort such an open nor exit during it.
  const fd = await promisify(open)(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const isPipe = (await promisify(fstat)(fd)).isFIFO();
  // One byte more than the limit shows that the file is too large. A device has no size.
  const stream = isPipe
    ? new Socket({ fd, writable: false, signal })
    : createReadStream(path, { fd, end: reading.bytes, signal });
  try {
    return decodeXml(await readBytes(stream, path, reading), path);
  } catch (error) {
    if (!isTimeout(signal)) throw error;
    throw brokenFile({ file: path, line: 1 }, 'no complete document within the time limit');
  }
}

/** True when the time limit has ended the work. */
function isTimeout({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error).name === 'TimeoutError';
}

/**
 * Decodes the bytes of an XML document.
 *
 * @throws {ContractError} when the bytes are not text in their encoding
 */
function decodeXml(bytes: Buffer, file: string, charset?: string): string {
  const encoding = encodingOf(bytes, charset);
  try {
    return decodeBytes(bytes, encoding, { fatal: true });
  } catch {
    throw brokenFile({ file, line: 1 }, `not text in the encoding ${encoding}`);
  }
}

/** Returns a path or an address for messages, without the secrets of an address. A path does not change. */
export function nameOf(source: string): string {
  return /^https?:/i.test(source) ? addressWithoutSecrets(source) : source;
}

/** Says what keeps a response from being read. @param coding a content coding that is not read */
function findProblem({ statusCode = 0, headers }: IncomingMessage, coding: string | undefined): string | undefined {
  if (statusCode !== 200) {
    const redirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
    const hint = redirect
      ? ` and redirects to ${nameOf(headers.location ?? '')}: give this address if it is the right one`
      : '';
    return `HTTP status ${statusCode}${hint}`;
  }
  return coding === undefined ? undefined : `Content-Encoding ${coding}, which was not requested`;
}

async function readBytes(stream: Readable, file: string, reading: ReadingLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    // Leaving the loop by an error destroys the stream.
    reading.bytes -= chunk.length;
    if (reading.bytes < 0) throw brokenFile({ file, line: 1 }, 'the file is too large for a WSDL');
  }
  return Buffer.concat(chunks);
}
