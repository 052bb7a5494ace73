import { MAX_DELAY_MS } from '../../internal/signals';
import { oneOf, trueOrFalse, wholeNumber } from '../../options/checks';
import type { FlagTable, ResolvedOptions } from '../../options/table';
import { type BulkOperation, bulkOperations } from '../rows/fields';

/** The options that decide how rows are checked and share requests. The command line makes options from this table. */
export const batchOptions = {
  /** The greatest number of rows that share a request. The contract defines no limit. Default 1. */
  batchSize: {
    read: wholeNumber(1),
    default: 1,
    flag: { value: 'n', help: 'let up to this many rows share a request' },
  },
  /** True for a service that returns ids in the order of rows. The contract does not define it. Default false. */
  idsInOrder: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'match ids to rows by order; only for a service that returns them in this order' },
  },
  /** The milliseconds within which a request must begin after its journal entry. Default 5,000. */
  startWithinMs: {
    // With a longer time each request would fail, after its rows were written to the journal.
    read: wholeNumber(1, MAX_DELAY_MS),
    default: 5000,
    flag: { value: 'ms', help: 'give up a request that has not started within this time' },
  },
  /** Sends empty texts, and receptors that are no number, instead of refusing them. Default false. */
  asIs: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'send empty texts, and receptors that are no number' },
  },
} as const satisfies FlagTable;

/** The options that decide on requests. They stay the same for a list. */
export const planOptions = {
  /** The operation that sends the rows. Default `sendSimple`. */
  operation: { read: oneOf(Object.keys(bulkOperations) as BulkOperation[]), default: 'sendSimple' },
  ...batchOptions,
} as const satisfies FlagTable;

/** The checked options that decide on requests. */
export interface PlanOptions extends ResolvedOptions<typeof planOptions> {}

export const planNames = Object.keys(planOptions) as (keyof PlanOptions)[];
