import { isDeepStrictEqual } from 'node:util';
import type { MessagingClient } from '../client/client';
import type { TrackOptions } from '../client/options/track';
import type { TrackedStatus } from '../client/track';
import { openJournal } from '../journal/journal';
import { readJournal } from '../journal/read-journal';
import { type JournalKind, type RecordsOf, readIdText, recordReader } from '../journal/records';
import { readStatuses, wholeNumber } from '../options/checks';
import { checkOptions, listOf } from '../options/table';
import { addToGroup } from './groups';
import { List } from './list/list';
import { type BulkRow, statusOf } from './status';

/** The method of a client that tracks. */
export type TrackClient = Pick<MessagingClient, 'track'>;

/** How rows are tracked. */
export interface BulkTrackOptions extends Omit<TrackOptions, 'finalStatuses'> {
  /** The statuses that end the tracking of a row. The contract does not define them. */
  readonly finalStatuses: readonly number[];
  /** Receives each change with its row, once it is in the file of statuses. */
  readonly onChange?: ((change: TrackedStatus & { readonly row: number }) => void | Promise<void>) | undefined;
  /**
   * Called before the first request and after each change, with the rows by status. The next call may get the same
   * object.
   */
  readonly onProgress?: ((delivery: BulkDelivery) => void) | undefined;
  /** As for `openBulk`, for the file of statuses. Default false. */
  readonly takeOver?: boolean | undefined;
}

/** The number of sent rows by the last known status of their delivery. */
export interface BulkDelivery {
  /** The number of rows with each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The number of rows with an id of their own whose status is not known yet. */
  readonly unasked: number;
  /** The number of rows without an id of their own, which cannot be tracked. */
  readonly withoutId: number;
}

const tables = {
  status: {
    /** A bigint is no JSON. */
    id: { read: readIdText, required: true },
    status: { read: wholeNumber(Number.MIN_SAFE_INTEGER), required: true },
  },
  final: { statuses: { read: listOf(wholeNumber(Number.MIN_SAFE_INTEGER)), required: true } },
} as const;
type StatusRecord = RecordsOf<typeof tables>[keyof typeof tables];

/** The last status of each message, and the final statuses that were given last. */
class TrackingState {
  readonly statuses = new Map<bigint, number>();
  finalStatuses: readonly number[] | undefined;

  apply(record: StatusRecord): boolean {
    if (record.t === 'final') this.finalStatuses = record.statuses;
    else this.statuses.set(BigInt(record.id), record.status);
    return true;
  }
}

const statusKind: JournalKind<StatusRecord, TrackingState> = {
  name: 'statuses',
  knowledge: 'the statuses that were seen',
  createState: () => new TrackingState(),
  readRecord: recordReader<StatusRecord>(tables),
};

const finalOption = { finalStatuses: { read: readStatuses, required: true } } as const;

/** The file of statuses is beside the journal: `list.csv.statuses` beside `list.csv.journal`. */
const statusesPathOf = (journal: string): string => `${journal.replace(/\.journal$/, '')}.statuses`;

/** Reads the knowledge of earlier trackings. @throws {JournalError} */
export async function readTracking(journal: string): Promise<TrackingState> {
  return (await readJournal(statusesPathOf(journal), statusKind))?.state ?? new TrackingState();
}

/** The id of a row's own message. Ids of a request for several rows that are in no known order are those of no row. */
export function ownIdOf({ state, ids }: Pick<BulkRow, 'state' | 'ids'>): bigint | undefined {
  return state === 'sent' && ids.length === 1 ? ids[0] : undefined;
}

/**
 * Follows the sent rows of a list until each that has an id of its own has a final status. Statuses are written to a
 * file beside the journal, so that the next tracking goes on where this one stopped, whatever crashed. The journal may
 * be in use.
 *
 * @throws {TrackingTimeout | MessagingError} as `client.track` does; {JournalError} when the file of statuses cannot be
 * used
 */
export async function trackBulk(
  list: List,
  options: BulkTrackOptions & { readonly client: TrackClient },
): Promise<BulkDelivery> {
  const { client, onChange, onProgress, takeOver = false, ...tracking } = options;
  const { finalStatuses: finals } = checkOptions(finalOption, { finalStatuses: tracking.finalStatuses });
  const file = await openJournal({ path: statusesPathOf(list.path), kind: statusKind, takeOver });
  try {
    const { statuses } = file.state;
    const delivery = deliveryOf(list, file.state);
    onProgress?.(delivery);
    const final = [...finals];
    if (!isDeepStrictEqual(final, file.state.finalStatuses)) file.append({ t: 'final', statuses: final });
    const ids = delivery.ids().filter((id) => !finals.has(statuses.get(id) as number));
    for await (const change of client.track(ids, tracking)) {
      const { messageid, status } = change;
      const previous = statuses.get(messageid);
      // The first response repeats what an earlier tracking has seen.
      if (status === previous) continue;
      file.append({ t: 'status', id: String(messageid), status });
      for (const row of delivery.rowsOf(messageid)) {
        await onChange?.({ ...change, previous, row });
        delivery.move(previous, status);
      }
      onProgress?.(delivery);
    }
  } finally {
    await file.close();
  }
  // Another process may have sent rows meanwhile.
  return deliveryOf(await List.read(list.path), file.state);
}

/** Counts the sent rows of a list by the last status that was seen. */
export function deliveryOf(list: List, { statuses }: Pick<TrackingState, 'statuses'>): TrackedRows {
  return new TrackedRows(statusOf(list).rows('sent'), statuses);
}

class TrackedRows implements BulkDelivery {
  readonly statuses = new Map<number, number>();
  unasked = 0;
  withoutId = 0;
  /** The rows of each id of their own. A service may give two rows the same id. */
  readonly #rowsById = new Map<bigint, number[]>();

  constructor(rows: Iterable<BulkRow>, known: ReadonlyMap<bigint, number>) {
    for (const row of rows) {
      const id = ownIdOf(row);
      if (id === undefined) {
        this.withoutId += 1;
        continue;
      }
      addToGroup(this.#rowsById, id, row.row);
      this.unasked += 1;
      this.move(undefined, known.get(id));
    }
  }

  ids(): bigint[] {
    return [...this.#rowsById.keys()];
  }

  rowsOf(id: bigint): readonly number[] {
    return this.#rowsById.get(id) as number[];
  }

  /** Counts a row with a status, and no longer with the one before; a row without a status was not asked for yet. */
  move(before: number | undefined, status: number | undefined): void {
    this.#add(before, -1);
    this.#add(status, 1);
  }

  #add(status: number | undefined, rows: number): void {
    const count = rows + ((status === undefined ? this.unasked : this.statuses.get(status)) ?? 0);
    if (status === undefined) this.unasked = count;
    else if (count === 0) this.statuses.delete(status);
    else this.statuses.set(status, count);
  }
}
