import type { Queue } from 'bullmq';
import { Service, type ServiceTexts } from '../../client/options/service';
import { wrongOption } from '../../options/table';
import { type BulkOperation, bulkOperations, type RowValues } from '../rows/fields';
import type { RowRange } from '../state/records';

/** A batch as a worker gets it. */
export interface QueuedJob {
  /** The name of the list's file, for messages: lists of one service may share a queue. */
  readonly list: string;
  /** The opening of the journal that queued it. */
  readonly opening: string;
  readonly n: number;
  readonly range: RowRange;
  readonly operation: BulkOperation;
  readonly rows: readonly RowValues[];
  readonly startWithinMs: number;
  /** True for the first batch that was queued while no row of the list was sent. */
  readonly isFirst: boolean;
  /** The id of the list, and its service. */
  readonly listId: string;
  readonly service: Service;
}

/** A job as it is in Redis. JSON has no bigint. */
export interface JobData extends Omit<QueuedJob, 'rows' | 'service'> {
  readonly v: 2;
  readonly service?: ServiceTexts;
  readonly rows: readonly (readonly (Exclude<RowValues[number], bigint> | { readonly long: string })[])[];
}

export function jobId(opening: string, n: number): string {
  return `${opening}-${n}`;
}

/** Puts a batch in a queue. @param isNext true to put it before all others */
export async function addJob(queue: Queue, { rows, ...others }: QueuedJob, isNext = false): Promise<void> {
  const { opening, n, operation } = others;
  const write = (value: RowValues[number]) => (typeof value === 'bigint' ? { long: String(value) } : value);
  const data: JobData = { v: 2, ...others, rows: rows.map((values) => values.map(write)) };
  // A job that has ended is not needed: the claims keep its batch from being sent again.
  const ended = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  await queue.add(operation, data, { jobId: jobId(opening, n), lifo: isNext, ...ended });
}

/** Reads a job. @throws {ConfigurationError} for a job that another version or another program has written */
export function readJob({ v, rows, service, ...others }: JobData): QueuedJob {
  if (v !== 2 || !Object.hasOwn(bulkOperations, others.operation))
    throw wrongOption('queue', 'another version or another program has put jobs in it: give each a queue of its own');
  const read = (value: JobData['rows'][number][number]): RowValues[number] =>
    typeof value === 'object' && value !== null ? BigInt(value.long) : value;
  return { ...others, service: new Service(service), rows: rows.map((values) => values.map(read)) };
}
