import { methods, operations } from '../../generated/operations';
import { MessagingClient, type MessagingOptions, type OperationName } from '../../src';
import type { Element, Operation } from '../../src/soap/element';
import { cleanUp } from './clean-up';
import { envelope, NAMESPACE } from './envelopes';
import { httpResponse } from './http-response';
import type { RawRequest } from './raw-server';

/** The key of clients in tests, with characters that XML must escape. */
export const API_KEY = 'key & <secret>';

/** Only a hang reaches these limits: a busy machine may take longer than their defaults. */
const LIMITS = { timeoutMs: 600_000, connectTimeoutMs: 600_000 };

/** A client of the service, closed after the test or the file (clean-up.ts). */
export function clientOf(
  service: { readonly baseUrl: string },
  options: Partial<MessagingOptions<Record<never, never>>> = {},
): MessagingClient {
  const client = new MessagingClient({
    baseUrl: service.baseUrl,
    namespace: NAMESPACE,
    apiKey: API_KEY,
    successStatuses: [200],
    ...LIMITS,
    ...options,
  });
  // Whether close() works is for its own tests to say.
  cleanUp(() => void client.close().catch(() => undefined));
  return client;
}

/** Calls the method of an operation; no type fits the requests of all ten. */
export function invoke(client: MessagingClient, operation: OperationName, request: object): Promise<unknown> {
  const method = client[methods[operation] as keyof MessagingClient] as unknown as (
    request: object,
  ) => Promise<unknown>;
  return method.call(client, request);
}

/** Writes the content of an element, or of a result without records, with one value in each list. */
function contentOf(element: Element): string {
  if (element.kind === 'record') return '';
  if (element.kind !== 'list') return VALUES[element.kind === 'integer' ? element.type : element.kind] ?? '';
  const { item } = element;
  return item.kind === 'record' ? '' : `<${item.name}>${contentOf(item)}</${item.name}>`;
}

const VALUES: Readonly<Record<string, string>> = { long: '9007199254740993', int: '13', short: '13', boolean: 'true' };

/** Returns the content of the result element with which an operation succeeds. */
export function resultOf(operation: OperationName): string {
  const { response }: Operation = operations[operation];
  return contentOf(response[0]);
}

/** A successful response to the request of any operation, in its version and namespace. */
export function respondWithSuccess({ body }: RawRequest): Buffer {
  const [, operation = '', namespace = ''] = /Body><([A-Za-z]+) xmlns="([^"]*)"/.exec(body) ?? [];
  const result = resultOf(operation as OperationName);
  const payload =
    `<${operation}Response xmlns="${namespace}"><${operation}Result>${result}</${operation}Result>` +
    `<status>200</status><statusmessage>ok</statusmessage></${operation}Response>`;
  return httpResponse(envelope(payload, body.includes('<soap12:') ? '1.2' : '1.1'));
}
