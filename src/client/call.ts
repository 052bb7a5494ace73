import type { Signal } from '../internal/signals';
import type { CallTrace } from './channels';
import type { CallClock } from './clock';
import type { StreamOptions } from './options/call';
import type { OperationPlan } from './plan';

/** Everything that belongs to one call. node-soap hands it on to the writer of the request and to the exchange. */
export interface Call {
  readonly plan: OperationPlan;
  readonly signal: Signal | undefined;
  /** The headers of the client's options: names and values in turn. */
  readonly headers: readonly string[];
  /** Ends the call early. All attempts of the call share it, while each has an exchange of its own. */
  readonly clock: CallClock;
  /** The limit of the response's size, after decompression. */
  readonly maxResponseBytes: number;
  /** Takes the records of the result as they arrive. The result then contains none. */
  readonly consumer: RecordConsumer | undefined;
  /** Takes the error of a record that cannot be read. Without it, such a record ends the call. */
  readonly onUnreadable: StreamOptions['onUnreadable'];
  /** The object that subscribers of the tracing channel see. Undefined when nobody listens. */
  readonly trace: CallTrace | undefined;
}

export interface RecordConsumer {
  /** Takes records. False asks for a pause, which ends when `resume` is called. */
  push(records: unknown[], resume: () => void): boolean;
}
