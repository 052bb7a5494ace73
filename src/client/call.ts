import { MessagingError } from '../errors';
import type { CallTrace } from './channels';
import type { CallClock } from './clock';
import type { OperationPlan } from './plan';

/** One call. node-soap hands this object on to our WSDL, which writes the request, and to our HTTP client. */
export interface Call {
  readonly plan: OperationPlan;
  readonly signal: AbortSignal | undefined;
  readonly clock: CallClock;
  /** The limit of the response's size, after decompression. */
  readonly maxResponseBytes: number;
  /** Takes the records of the result as they arrive. The result then contains none. */
  readonly consumer: RecordConsumer | undefined;
  /** The object that subscribers of the tracing channel see. Undefined when nobody listens. */
  readonly trace: CallTrace | undefined;
  /** The operation's name. node-soap would make a random id for a call without one. */
  readonly exchangeId: string;
}

export interface RecordConsumer {
  /** Takes records. False asks for a pause, which ends when `resume` is called. */
  push(records: unknown[], resume: () => void): boolean;
}

/** Replaces the stack of a failure with the caller's: a socket's stack names no line of the user. */
export function captureCallSite(error: unknown): void {
  // Any other error is a bug of this package, whose own stack is needed.
  if (error instanceof MessagingError) Error.captureStackTrace(error, captureCallSite);
}
