import { showValue, signalOption, trueOrFalse, unchecked, wholeNumber } from '../../options/checks';
import { type FlagTable, type GivenOptions, type ResolvedOptions, refuseValue } from '../../options/table';
import type { OnBegin } from '../list/before-list';
import { MAX_PAGESIZE } from '../reconcile/listing';
import { type Reconciliation, settleOption, waitOption } from '../reconcile/reconcile';
import type { Counts } from '../state/row-table';
import type { BatchFailure } from './send-batch';

/** The options of a run and of a worker. */
export const sendOptions = {
  /** The number of requests at a time. Default 16. */
  concurrency: {
    // Each request has a connection.
    read: wholeNumber(1, 65_535),
    default: 16,
    flag: { value: 'n', help: 'send this many requests at a time' },
  },
  /** The greatest number of rows that start in a second. Default: no limit. */
  rowsPerSecond: {
    read: readRate,
    default: Number.POSITIVE_INFINITY,
    flag: { value: 'n', help: 'start at most n rows a second (default: off, no limit)' },
  },
  /**
   * The number of consecutive failures after which no further request starts; 0 for no limit. With a limit, sending
   * also stops when the first request fails while no row is sent. Default 10.
   */
  stopAfterFailures: {
    read: wholeNumber(0),
    default: 10,
    flag: { value: 'n', help: 'stop after n consecutive failures, 0 for no limit' },
  },
  /** Stops the sending: no further request starts, and the requests under way are waited for. */
  signal: signalOption,
  /** Called after each batch. */
  onProgress: unchecked<(progress: Progress) => void>(),
  /** Called when the service responds with HTTP status 429, with the milliseconds for which nothing is sent. */
  onPause: unchecked<(pauseMs: number) => void>(),
} as const satisfies FlagTable;

/** The options of a command that begins a list. */
export const beginOptions = {
  /**
   * The number of the service's latest messages that are listed before the first row is sent, for a list that is begun:
   * they must not be taken for rows later. 0 lists nothing; fewer unknown rows can then be decided. Default 100.
   */
  baselinePagesize: {
    read: wholeNumber(0, MAX_PAGESIZE),
    default: 100,
    flag: { value: 'n', help: 'before sending, list this many of the latest messages (0: none)' },
  },
  /**
   * Called before a list is begun, and when somebody has messages of a list that goes on. Nothing was written, and
   * nothing was sent; when it throws or rejects, nothing is. What it returns takes the place of `again` and
   * `corrected`.
   */
  onBegin: unchecked<OnBegin>(),
} as const satisfies FlagTable;

const ownOptions = {
  /** Sends what is pending, and looks for no unknown row. Default false. */
  once: { read: trueOrFalse, default: false, flag: { help: 'send what is pending, look for no unknown row' } },
  /**
   * The time for which the provider promises to send one message for each clientmessageid, and to respond to a repeated
   * one with the id of this message: such as `90m`, `24h` or `7d`, or `always`. A run then sends an unknown row again
   * with its clientmessageid, without a proof, within this time. **A service that does not keep this promise sends
   * twice.** Only for `sendAdvance`, where the program makes each clientmessageid. Default `never`.
   */
  uniqueClientmessageid: {
    read: readUniqueTime,
    default: 'never',
    flag: {
      value: 'time',
      help: 'send an unknown row again with its clientmessageid for this time, such as 24h, always or never; only for a provider that sends one message for each clientmessageid (default: never)',
      isText: true,
    },
  },
  /** Called with the number of unknown rows that are about to be sent again with their clientmessageid. */
  onRepeat: unchecked<(rows: number) => void>(),
  /** Called after unknown rows were looked for. */
  onReconciled: unchecked<(result: Reconciliation) => void>(),
  /** Called when the service shows the first message in another way than it was sent. */
  onWarning: unchecked<(message: string) => void>(),
} as const satisfies FlagTable;

export const runOptions = { ...sendOptions, ...beginOptions, ...settleOption, ...waitOption, ...ownOptions } as const;

/** How rows are sent. */
export interface RunOptions
  extends GivenOptions<typeof sendOptions>,
    GivenOptions<typeof beginOptions>,
    GivenOptions<typeof settleOption>,
    GivenOptions<typeof waitOption>,
    GivenOptions<typeof ownOptions> {}

/** The options of a run, checked and with every default in place. */
export type RunSettings = ResolvedOptions<typeof runOptions>;

/** The number of rows in each state, after a batch. */
export interface Progress extends Counts {
  /** The batch, if it was not sent: its rows, and the reason. */
  readonly failure?: BatchFailure | undefined;
}

/** The number of rows in each state after a run. */
export interface RunResult extends Counts {
  /**
   * The reason why the run ended before all rows were sent: failures, a service that takes no more, or a file that has
   * changed.
   */
  readonly stopped?: string | undefined;
}

function readRate(value: unknown): number {
  if (value === 'off') return Number.POSITIVE_INFINITY;
  return typeof value === 'number' && value > 0
    ? value
    : refuseValue(`${showValue(value)} is neither a number above 0 nor "off"`);
}

/** Reads a time such as `24h`, `always` or `never`, in milliseconds; undefined for any other text. */
export function parseUniqueTime(text: string): number | undefined {
  if (text === 'always') return Number.POSITIVE_INFINITY;
  if (text === 'never') return 0;
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  return count === undefined
    ? undefined
    : Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm' | 'h' | 'd'];
}

function readUniqueTime(value: unknown): string {
  const isTime = typeof value === 'string' && parseUniqueTime(value) !== undefined;
  return isTime ? value : refuseValue(`${showValue(value)} is none of always, never and a time such as 90m, 24h or 7d`);
}
