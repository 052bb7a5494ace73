import { channel, tracingChannel } from 'node:diagnostics_channel';
import { service } from '../../generated/operations';
import { captureCallSite, MessagingError, type Outcome } from '../errors';
import type { Masker } from '../internal/mask';
import type { Signal } from '../internal/signals';
import type { SoapVersion } from '../types';

/** The description of a call on the channel `messaging-soap:call`. Each field is filled as soon as it is known. */
export interface CallTrace {
  readonly operation: string;
  readonly soapVersion: SoapVersion;
  readonly url: string;
  httpStatus?: number;
  /** The status element of the response. */
  status?: number;
  /** `done` for a success; `left` when the loop over a stream was left before the end, which is no failure. */
  outcome?: Outcome | 'done' | 'left';
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
 * Runs a call on the tracing channel. The stack of an error then names the caller.
 *
 * @param left has aborted when the consumer of the records has left. The call has then not failed, and has no result
 * @param run fills the object that subscribers see. It gets none when nobody listens
 */
export async function traceCall<T>(
  operation: string,
  { soapVersion, baseUrl }: { readonly soapVersion: SoapVersion; readonly baseUrl: string },
  { mask }: Masker,
  left: Signal | undefined,
  run: (trace: CallTrace | undefined) => Promise<T>,
): Promise<T> {
  try {
    if (!calls.hasSubscribers) return await run(undefined);
    // Callers in JavaScript may give anything as the name, also what cannot be converted to a text.
    const name = typeof operation === 'string' ? mask(operation) : typeof operation;
    const trace: CallTrace = { operation: name, soapVersion, url: mask(baseUrl + service.path) };
    let result: T | undefined;
    await calls.tracePromise(async () => {
      try {
        // Subscribers do not get the result: it may be a million records.
        result = await run(trace);
        trace.outcome = 'done';
      } catch (error) {
        trace.outcome = left?.aborted ? 'left' : error instanceof MessagingError ? error.outcome : 'unknown';
        if (!left?.aborted) throw error;
      }
    }, trace);
    return result as T;
  } catch (error) {
    captureCallSite(error);
    throw error;
  }
}
