import type { CallTrace } from './channels';
import type { TimeLimit } from './time-limits';

/** The options of one call, which node-soap hands from the stub to the HTTP client. */
export interface Call {
  readonly signal: AbortSignal | undefined;
  /** For the whole call. */
  readonly end: TimeLimit | undefined;
  /** For the start of the request. */
  readonly start: TimeLimit | undefined;
  /** Takes the records of the result as they arrive, in place of the result's list. */
  readonly consumer: RecordConsumer | undefined;
  /** To be filled, when someone listens. */
  readonly trace: CallTrace | undefined;
  /** The operation's name, by which the HTTP client finds the plan. node-soap calls it so, and would make a random one. */
  readonly exchangeId: string;
}

export interface CallLimits {
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly successStatuses: ReadonlySet<number>;
}

export interface RecordConsumer {
  /** Takes records; false asks for a pause, which ends when `resume` is called. */
  push(records: unknown[], resume: () => void): boolean;
}
