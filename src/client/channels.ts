import { channel, tracingChannel } from 'node:diagnostics_channel';
import { service } from '../../generated/operations';
import { MessagingError, type Outcome } from '../errors';
import type { Masker } from '../internal/mask';
import type { SoapVersion } from '../types';

/** The description of a call on the channel `messaging-soap:call`. Each field is filled as soon as it is known. */
export interface CallTrace {
  readonly operation: string;
  readonly soapVersion: SoapVersion;
  readonly url: string;
  httpStatus?: number;
  /** The status element of the response. */
  status?: number;
  /** `done` for a success. */
  outcome?: Outcome | 'done';
  /** The number of bytes of the request's body. */
  requestBytes?: number;
  /** The number of bytes of the response's body that have arrived, before decompression. */
  responseBytes?: number;
  error?: unknown;
}

/** A request or a response as it crossed the wire, on the channel `messaging-soap:wire`. The API key is masked. */
export interface WireMessage {
  readonly operation: string;
  readonly direction: 'request' | 'response';
  /** The first line and the headers, each with its line break. A request is shown without its `connection` header. */
  readonly head: string;
  /** The body after decompression; at most its first 1,048,576 bytes. */
  readonly body: string;
}

/** The channel on which the client publishes each request and each response, as a WireMessage. */
export const WIRE_CHANNEL = 'messaging-soap:wire';

const calls = tracingChannel<CallTrace>('messaging-soap:call');
/** The client builds no message for this channel while `hasSubscribers` is false. */
export const wire: {
  readonly hasSubscribers: boolean;
  publish(message: WireMessage): void;
} = channel(WIRE_CHANNEL);

/**
 * Runs a call on the tracing channel.
 *
 * @param run fills the object that subscribers see. It gets none when nobody listens
 */
export async function traceCall<T>(
  operation: string,
  { soapVersion, baseUrl }: { readonly soapVersion: SoapVersion; readonly baseUrl: string },
  { mask }: Masker,
  run: (trace: CallTrace | undefined) => Promise<T>,
): Promise<T> {
  if (!calls.hasSubscribers) return run(undefined);
  const trace: CallTrace = { operation: mask(String(operation)), soapVersion, url: mask(baseUrl + service.path) };
  let result: T | undefined;
  await calls.tracePromise(async () => {
    try {
      // Subscribers do not get the result: it may be a million records.
      result = await run(trace);
      trace.outcome = 'done';
    } catch (error) {
      trace.outcome = error instanceof MessagingError ? error.outcome : 'unknown';
      throw error;
    }
  }, trace);
  return result as T;
}
