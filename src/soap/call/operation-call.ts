import { MessagingError } from '../../errors';
import type { CallTrace } from './channels';
import type { Deadline } from './deadline';
import type { OperationPlan } from './operation-plan';

/** One call. node-soap hands this object from the stub to our WSDL, which writes the request, and to our HTTP client. */
export interface Call {
  readonly plan: OperationPlan;
  readonly signal: AbortSignal | undefined;
  readonly deadline: Deadline | undefined;
  readonly startDeadline: Deadline | undefined;
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

/**
 * Makes the stack of a failed call name the lines that wait for the call, in place of the socket or the timer from which the failure
 * came. Only a call that fails pays for this. Any other error is a defect, whose own stack is needed.
 */
export function captureCallSite(error: unknown): void {
  if (error instanceof MessagingError) Error.captureStackTrace(error, captureCallSite);
}
