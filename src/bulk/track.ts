import { openJournal } from '../journal/journal';
import { readJournal } from '../journal/read-journal';
import { type JournalKind, type JournalRecord, readIdText, recordReader } from '../journal/records';
import type { TrackedStatus } from '../messages/track';
import { wholeNumber } from '../options/checks';
import type { TrackOptions } from '../options/track';
import { addToGroup } from './groups';
import { readList } from './state/bulk-journal';
import { type BulkRow, statusOf } from './status';

/** The method of the client that tracks. */
export interface TrackClient {
  track(ids: Iterable<bigint>, options: TrackOptions): AsyncIterable<TrackedStatus>;
}

/** How rows are tracked. */
export interface BulkTrackOptions extends Omit<TrackOptions, 'finalStatuses'> {
  /** The statuses that end the tracking of a row. The contract does not define them. */
  readonly finalStatuses: readonly number[];
  /** Receives each change with its row, once it is in the file of statuses. */
  readonly onChange?: ((change: TrackedStatus & { readonly row: number }) => void | Promise<void>) | undefined;
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

interface StatusRecord extends JournalRecord {
  readonly t: 'status';
  /** A bigint is no JSON. */
  readonly id: string;
  readonly status: number;
}

/** The last status of each message. */
class StatusState {
  readonly statuses = new Map<bigint, number>();

  begin(): void {}

  apply({ id, status }: StatusRecord): boolean {
    this.statuses.set(BigInt(id), status);
    return true;
  }
}

const statusKind: JournalKind<StatusRecord, StatusState> = {
  name: 'statuses',
  knowledge: 'the statuses that were seen',
  createState: () => new StatusState(),
  readRecord: recordReader<StatusRecord>({
    status: {
      id: { read: readIdText, required: true },
      status: { read: wholeNumber(Number.MIN_SAFE_INTEGER), required: true },
    },
  }),
};

/** The file of statuses is beside the journal. */
const statusesPathOf = (journal: string): string => `${journal}.statuses`;

/** Reads the last status of each message that was tracked. @throws {JournalError} */
export async function readSeenStatuses(journal: string): Promise<ReadonlyMap<bigint, number>> {
  return (await readJournal(statusesPathOf(journal), statusKind))?.state.statuses ?? new Map();
}

/** The id of a row's own message. Ids of a request for several rows that are in no known order are those of no row. */
export function ownIdOf({ state, ids }: Pick<BulkRow, 'state' | 'ids'>): bigint | undefined {
  return state === 'sent' && ids.length === 1 ? ids[0] : undefined;
}

/**
 * Follows the sent rows of a journal until each that has an id of its own has a final status. Statuses are written to a file beside
 * the journal, so that the next tracking goes on where this one stopped, whatever crashed. The journal may be in use.
 *
 * @throws {TrackingTimeout | MessagingError} as `client.track` does; {JournalError} when the file of statuses cannot be used
 */
export async function trackBulk(
  options: BulkTrackOptions & { readonly client: TrackClient; readonly journal: string },
): Promise<BulkDelivery> {
  const { client, journal, onChange, takeOver = false, ...tracking } = options;
  const rows = await readOwnIds(journal);
  const file = await openJournal({ path: statusesPathOf(journal), kind: statusKind, takeOver, start: () => [] });
  try {
    const { statuses } = file.state;
    const finals = new Set(tracking.finalStatuses);
    const ids = [...rows.keys()].filter((id) => !finals.has(statuses.get(id) as number));
    for await (const change of client.track(ids, tracking)) {
      const { messageid, status } = change;
      const previous = statuses.get(messageid);
      // The first response repeats what an earlier tracking has seen.
      if (status === previous) continue;
      file.append({ t: 'status', id: String(messageid), status });
      for (const row of rows.get(messageid) as readonly number[]) await onChange?.({ ...change, previous, row });
    }
  } finally {
    await file.close();
  }
  return readDelivery(journal);
}

/** Counts the sent rows of a journal by the last known status of their delivery. @throws {JournalError} */
export async function readDelivery(journal: string): Promise<BulkDelivery> {
  const known = await readSeenStatuses(journal);
  const statuses = new Map<number, number>();
  let [unasked, withoutId] = [0, 0];
  for (const row of await readRows(journal)) {
    const id = ownIdOf(row);
    const status = id === undefined ? undefined : known.get(id);
    if (status !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    else if (id === undefined) withoutId += 1;
    else unasked += 1;
  }
  return { statuses, unasked, withoutId };
}

async function readRows(journal: string): Promise<Iterable<BulkRow>> {
  return statusOf((await readList(journal)).state).rows('sent');
}

/** The rows of each id. A service may give two rows the same id. */
async function readOwnIds(journal: string): Promise<Map<bigint, number[]>> {
  const rows = new Map<bigint, number[]>();
  for (const row of await readRows(journal)) {
    const id = ownIdOf(row);
    if (id !== undefined) addToGroup(rows, id, row.row);
  }
  return rows;
}
