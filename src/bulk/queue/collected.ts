import type { Counts } from '../journal/row-table';

/** What a collection gave, in rows. */
export interface Collected {
  readonly counts: Counts;
  /** Those whose outcome is written down now. */
  readonly collected: number;
  /** Those that workers are sending. Collect again. */
  readonly beingSent: number;
  /** Those that no worker has claimed, and that were left in the queue. */
  readonly waiting: number;
}
