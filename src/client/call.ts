import { MessagingError } from '../errors';
import type { CallTrace } from './channels';
import type { CallClock } from './clock';
import type { OperationPlan } from './plan';

/** Everything that belongs to one call. node-soap hands it on to the writer of the request and to the exchange. */
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
