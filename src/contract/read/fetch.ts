import { createReadStream } from 'node:fs';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parseContentType } from '../../internal/content-type';
import { version } from '../../internal/version';
import { encodingOf } from '../../xml/encoding';
import { ContractError } from '../model/problems';
import type { ElementBudget } from './xml-tree';

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

/** The limits that are left for the documents of a WSDL. */
export interface Budget extends ElementBudget {
  bytes: number;
  readonly signal: AbortSignal;
}

/**
 * Gets a document by a plain GET without credentials. Does not follow redirects.
 *
 * @throws {FetchError | ContractError} or the signal's reason
 */
export async function fetchDocument(url: URL, budget: Budget): Promise<string> {
  let sent = false;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const get = url.protocol === 'https:' ? getHttps : getHttp;
      // Use a new connection, because a service may close a used one at any time.
      const options = {
        agent: false,
        signal: budget.signal,
        headers: { accept: 'text/xml, application/xml, */*', 'user-agent': `messaging-soap/${version}` },
      };
      const request = get(url, options, resolve).on('error', reject);
      request.on('socket', (socket) => {
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          sent = true;
        });
      });
    });
    checkStatus(url, response);
    const encoding = response.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity' && encoding !== 'gzip') {
      response.destroy();
      const text = `the response has Content-Encoding ${encoding}, which was not requested`;
      throw new FetchError(`${nameOf(url)}: ${text}`, true);
    }
    const unpacked = encoding === 'gzip' ? response.pipe(createGunzip()) : response;
    response.on('error', (error) => unpacked.destroy(error));
    try {
      const bytes = await readBytes(unpacked, nameOf(url), budget);
      const charset = parseContentType(response.headers['content-type']).parameters.get('charset');
      return decodeXml(bytes, nameOf(url), charset);
    } finally {
      response.destroy();
    }
  } catch (error) {
    if (error instanceof FetchError || error instanceof ContractError) throw error;
    const { aborted, reason: abortReason } = budget.signal;
    const timedOut = aborted && (abortReason as Error).name === 'TimeoutError';
    if (aborted && !timedOut) throw abortReason;
    const reason = timedOut ? 'no complete response within the time limit' : (error as Error).message;
    throw new FetchError(`${nameOf(url)}: ${reason}`, sent, { cause: error });
  }
}

/**
 * Reads a file.
 *
 * @throws {NodeJS.ErrnoException} when the file cannot be read
 */
export async function readDocument(path: string, budget: Budget): Promise<string> {
  // One byte more than the limit shows that the file is too large. A device has no size.
  const stream = createReadStream(path, { end: budget.bytes, signal: budget.signal });
  return decodeXml(await readBytes(stream, path, budget), path);
}

/**
 * Decodes the bytes of an XML document.
 *
 * @throws {ContractError} when the bytes are not text in their encoding
 */
export function decodeXml(bytes: Buffer, file: string, charset?: string): string {
  const encoding = encodingOf(bytes, charset);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw brokenFile(file, `not text in the encoding ${encoding}`);
  }
}

/** Reduces the limit of bytes. */
export function spendBytes(budget: Budget, count: number, file: string): void {
  budget.bytes -= count;
  if (budget.bytes < 0) throw brokenFile(file, 'the file is too large for a WSDL');
}

/** The error about a file as a whole. */
export function brokenFile(file: string, text: string): ContractError {
  return new ContractError([{ kind: 'broken', file, line: 1, text }]);
}

/** Gives an address for messages, without its user name and password. */
export function nameOf({ protocol, host, pathname, search }: URL): string {
  return `${protocol}//${host}${pathname}${search}`;
}

function checkStatus(url: URL, response: IncomingMessage): void {
  const { statusCode = 0, headers } = response;
  if (statusCode === 200) return;
  response.destroy();
  const redirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
  const hint = redirect ? ` and redirects to ${headers.location}: give this address if it is the right one` : '';
  throw new FetchError(`${nameOf(url)}: the response has HTTP status ${statusCode}${hint}`, true);
}

async function readBytes(stream: Readable, file: string, budget: Budget): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    // Leaving the loop by an error destroys the stream.
    spendBytes(budget, chunk.length, file);
  }
  return Buffer.concat(chunks);
}
