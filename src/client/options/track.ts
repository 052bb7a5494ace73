import { ConfigurationError, type MessagingError } from '../../errors';
import { createMasker } from '../../internal/mask';
import { MAX_DELAY_MS } from '../../internal/signals';
import { readFunction, readStatuses, signalOption, wholeNumber } from '../../options/checks';
import { checkOptions, type GivenOptions, givenAs, type ResolvedOptions } from '../../options/table';
import type { Settings } from './client';

const trackOptions = {
  /**
   * The statuses that end the tracking of a message. The contract does not define them. Default: `finalStatuses` of the
   * client; required if the client has none.
   */
  finalStatuses: { ...givenAs<readonly number[]>(), read: readStatuses, variable: 'MESSAGING_FINAL_STATUSES' },
  /** The pause between two rounds of requests, in milliseconds. A round without a change doubles it. Default 5,000. */
  everyMs: { read: wholeNumber(1), default: 5_000 },
  /** The longest pause, in milliseconds. Default 60,000. */
  maxEveryMs: { read: wholeNumber(1), default: 60_000 },
  /** The number of ids in a request. The contract does not define a limit. Default 500. */
  batchSize: { read: wholeNumber(1), default: 500 },
  /**
   * The limit of the whole tracking, in milliseconds; 0 means no limit. After it, the loop rejects with a
   * `TrackingTimeout`. Default 0.
   */
  withinMs: { read: wholeNumber(0, MAX_DELAY_MS), default: 0 },
  /** Aborts the tracking. The loop then rejects with an `AbortError`. */
  signal: signalOption,
  /**
   * Is given each failure that does not end the tracking, with the ids of its request. These ids are asked for again
   * after the next pause. A promise that it returns is awaited; an error that it throws ends the tracking. Default:
   * such a failure is ignored.
   */
  onFailure: { read: readFunction<(error: MessagingError, ids: readonly bigint[]) => unknown> },
};

/**
 * The options of `track`.
 *
 * @example
 * const options: TrackOptions = { finalStatuses: [6, 10, 11, 13, 14], everyMs: 5_000, withinMs: 600_000 };
 */
export interface TrackOptions extends GivenOptions<typeof trackOptions> {}

/**
 * Checks the options of `track` and fills in the defaults.
 *
 * @throws {ConfigurationError} also when neither the options nor the client have final statuses
 */
export function resolveTrackOptions(options: TrackOptions, client: Settings): ResolvedTrackOptions {
  const resolved = checkOptions(trackOptions, options, createMasker(client.apiKey));
  const finalStatuses = resolved.finalStatuses ?? client.finalStatuses;
  if (finalStatuses) return { ...resolved, finalStatuses };
  const { variable } = trackOptions.finalStatuses;
  throw new ConfigurationError({ problems: [{ option: 'finalStatuses', message: 'missing', variable }] });
}

type ResolvedTrackOptions = ResolvedOptions<typeof trackOptions> & { readonly finalStatuses: ReadonlySet<number> };
