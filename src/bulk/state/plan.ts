import { MAX_DELAY_MS } from '../../internal/signals';
import { oneOf, trueOrFalse, wholeNumber } from '../../options/checks';
import type { FlagTable, OptionRow } from '../../options/table';
import { type BulkOperation, bulkOperations } from '../rows/fields';

/** The options that decide on requests. They stay the same for a list. */
export interface PlanOptions {
  /** The operation that sends the rows. Default `sendSimple`. */
  readonly operation: BulkOperation;
  /** The greatest number of rows that share a request. The contract defines no limit. Default 1. */
  readonly batchSize: number;
  /** True for a service that returns ids in the order of rows. The contract does not define it. Default false. */
  readonly idsInOrder: boolean;
  /** The milliseconds within which a request must begin after its journal entry. Default 5,000. */
  readonly startWithinMs: number;
  /** Sends empty texts, and receptors that are empty or have no digit, instead of refusing them. Default false. */
  readonly asIs: boolean;
}

/** The options that decide how rows are checked and share requests. The command line makes options from this table. */
export const batchOptions = {
  batchSize: {
    read: wholeNumber(1),
    default: 1,
    flag: { value: 'n', help: 'let up to this many rows share a request' },
  },
  idsInOrder: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'match ids to rows by order; only for a service that returns them in this order' },
  },
  startWithinMs: {
    // With a longer time each request would fail, after its rows were written to the journal.
    read: wholeNumber(1, MAX_DELAY_MS),
    default: 5000,
    flag: { value: 'ms', help: 'give up a request that starts later' },
  },
  asIs: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'send empty texts, and receptors without a digit' },
  },
} as const satisfies FlagTable;

/** The checks and the defaults, in the order of the fingerprint. */
export const planOptions = {
  operation: { read: oneOf(Object.keys(bulkOperations) as BulkOperation[]), default: 'sendSimple' },
  ...batchOptions,
} as const satisfies { readonly [K in keyof PlanOptions]: OptionRow };

export const planNames = Object.keys(planOptions) as (keyof PlanOptions)[];
