import type { TimeLeft } from '../../internal/time-limit';
import type { BulkOperation } from '../rows/fields';
import type { Batch } from './batches';
import type { Pace } from './pace';
import { type SendingClient, type SendResult, sendBatch } from './send-batch';

/** A batch of which it is written down that it is being sent. */
export interface Attempt extends Batch {
  readonly operation: BulkOperation;
  /** True for the first request of a run or an enqueueing while no row of the list is sent. */
  readonly isFirst: boolean;
  /** The time that is left for the request to begin. */
  readonly timeLeft: TimeLeft;
  /** Judges a response further; without it, the result stays as it is. */
  readonly review?: ((result: SendResult) => SendResult) | undefined;
  /** Writes down what became of the batch. */
  readonly end: (result: SendResult) => Promise<void>;
}

/** Writes down that a batch is being sent. Resolves with undefined when it must not be sent. */
export type Begin = () => Promise<Attempt | undefined>;

/**
 * Sends batches side by side, at a pace. Where they come from and where is written down what becomes of them is a
 * matter of the ledger that yields them: the journal of a list, or Redis. Resolves when nothing is under way any more.
 *
 * @throws the first failure of the ledger, which ends the sending
 */
export async function sendAll(client: SendingClient, pace: Pace, batches: AsyncIterable<Begin>): Promise<void> {
  try {
    for await (const begin of batches) {
      if (!(await pace.turn())) break;
      pace.start(() => sendOne(client, pace, begin));
    }
  } catch (error) {
    pace.fail(error);
  }
  await pace.drain();
}

/** Sends a batch once, between the two entries in its ledger. */
async function sendOne(client: SendingClient, pace: Pace, begin: Begin): Promise<void> {
  const attempt = await begin();
  if (!attempt) return;
  const { operation, rows, isFirst, timeLeft, review } = attempt;
  const response = await sendBatch(client, operation, rows, timeLeft);
  const result = review?.(response) ?? response;
  const ending = attempt.end({ ...result, outcome: pace.keep(result, isFirst) });
  // At once: while a batch that the service pushed back goes back to its queue, no request may start.
  pace.count(result, isFirst);
  await ending;
}
