import { channel, tracingChannel } from 'node:diagnostics_channel';
import { service } from '../../../generated/operations';
import { type ErrorContext, MessagingError, type Outcome } from '../../errors';
import type { SoapVersion } from '../../types';

/** What a call tells on the tracing channel `messaging-soap:call`. Each field is filled as soon as it is known. */
export interface CallTrace {
  readonly operation: string;
  readonly soapVersion: SoapVersion;
  /** The endpoint. */
  readonly url: string;
  httpStatus?: number;
  /** The status element of the answer. */
  status?: number;
  /** `done` for a success. */
  outcome?: Outcome | 'done';
  /** Bytes of the request's body. */
  requestBytes?: number;
  /** Bytes of the answer's body as they arrived, before decompression. */
  responseBytes?: number;
  error?: unknown;
}

/** A request or an answer as it crossed the wire, on the channel `messaging-soap:wire`. The API key is masked. */
export interface WireMessage {
  readonly operation: string;
  readonly direction: 'request' | 'response';
  /** First line and headers, each with its line break; of a request without `connection`. */
  readonly head: string;
  /** After decompression; at most the first 1,048,576 bytes. */
  readonly body: string;
}

/** The channel on which the client publishes each request and answer, as a WireMessage. */
export const WIRE_CHANNEL = 'messaging-soap:wire';

const calls = tracingChannel<CallTrace>('messaging-soap:call');
/** Nothing is put together for it while `hasSubscribers` is false. */
export const wire: {
  readonly hasSubscribers: boolean;
  publish(message: WireMessage): void;
} = channel(WIRE_CHANNEL);

/**
 * Runs a call on the tracing channel, if anyone listens.
 *
 * @param run gets the object that subscribers see, to be filled, or undefined when nobody listens
 */
export function traceCall<T>(
  { operation, mask }: Pick<ErrorContext, 'operation' | 'mask'>,
  { soapVersion, baseUrl }: { readonly soapVersion: SoapVersion; readonly baseUrl: string },
  run: (trace: CallTrace | undefined) => Promise<T>,
): Promise<T> {
  if (!calls.hasSubscribers) return run(undefined);
  return publishCall({ operation: mask(String(operation)), soapVersion, url: mask(baseUrl + service.path) }, run);
}

async function publishCall<T>(trace: CallTrace, run: (trace: CallTrace) => Promise<T>): Promise<T> {
  let result: T | undefined;
  await calls.tracePromise(async () => {
    try {
      // Not given to subscribers: it may be a million records.
      result = await run(trace);
      trace.outcome = 'done';
    } catch (error) {
      trace.outcome = error instanceof MessagingError ? error.outcome : 'unknown';
      throw error;
    }
  }, trace);
  return result as T;
}
