import { MessagingClient, type MessagingOptions, type OperationName } from '../../src';
import { methods } from '../../src/client/client';
import { cleanUp } from './clean-up';
import { envelope, NAMESPACE } from './envelopes';
import { httpResponse } from './http-response';
import type { RawRequest } from './raw-server';

/** The key of clients in tests, with characters that XML must escape. */
export const API_KEY = 'key & <secret>';

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
    ...options,
  });
  // Whether close() works is for its own tests to say.
  cleanUp(() => void client.close().catch(() => undefined));
  return client;
}

/** Calls the method of an operation; no type fits the requests of all ten. */
export function invoke(client: MessagingClient, operation: OperationName, request: object): Promise<unknown> {
  const method = client[methods[operation]] as unknown as (request: object) => Promise<unknown>;
  return method.call(client, request);
}

/** Content of the result element with which each operation succeeds. */
export const RESULTS: Readonly<Record<OperationName, string>> = {
  SelectoutboxByApikey: '',
  SelectByApikey: '',
  SelectlatestByApikey: '',
  ReceiveByApikey: '',
  SendArrayByApikey: '<long>9007199254740993</long>',
  SendSimpleByApikey: '<long>9007199254740993</long>',
  SendAdvance: '9007199254740993',
  GetStatusByApikey: '<int>1</int>',
  CancelByApikey: '<int>13</int>',
  RemainCreditByApiKey: '1000',
};

/** A successful response to the request of any operation, in its version and namespace. */
export function respondWithSuccess({ body }: RawRequest): Buffer {
  const [, operation = '', namespace = ''] = /Body><([A-Za-z]+) xmlns="([^"]*)"/.exec(body) ?? [];
  const result = RESULTS[operation as OperationName];
  const payload =
    `<${operation}Response xmlns="${namespace}"><${operation}Result>${result}</${operation}Result>` +
    `<status>200</status><statusmessage>ok</statusmessage></${operation}Response>`;
  return httpResponse(envelope(payload, body.includes('<soap12:') ? '1.2' : '1.1'));
}
