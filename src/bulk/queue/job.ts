import type { PlanOptions, RowRange } from '../journal/records';
import { bulkFields, bulkOperations, type FieldValue, type RowField } from '../rows/bulk-fields';
import type { RowValues } from '../rows/row-reader';

/** A batch as a worker gets it. */
export interface QueuedJob {
  /** Names the opening of the journal that queued it. */
  readonly run: string;
  readonly n: number;
  readonly range: RowRange;
  readonly operation: PlanOptions['operation'];
  readonly rows: readonly RowValues[];
  readonly startWithinMs: number;
}

/** A job as it is in Redis: JSON has no bigint, so a long is a text. */
export interface JobData extends Omit<QueuedJob, 'rows'> {
  readonly v: 1;
  readonly rows: readonly (readonly Exclude<FieldValue, bigint>[])[];
}

export function jobId(run: string, n: number): string {
  return `${run}-${n}`;
}

export function writeJob({ rows, ...others }: QueuedJob): JobData {
  const write = (value: FieldValue) => (typeof value === 'bigint' ? String(value) : value);
  return { v: 1, ...others, rows: rows.map((values) => values.map(write)) };
}

function isLong(element: RowField['element'] | undefined): boolean {
  return element?.kind === 'integer' && element.type === 'long';
}

/** @throws {Error} for a job that another version has written, or another program */
export function readJob(data: JobData): QueuedJob {
  const { v, rows, ...others } = data;
  if (v !== 1 || !Object.hasOwn(bulkOperations, others.operation)) throw new Error('the job is of another version');
  const fields = bulkFields(others.operation);
  const read = (value: FieldValue, index: number) =>
    typeof value === 'string' && isLong(fields[index]?.element) ? BigInt(value) : value;
  return { ...others, rows: rows.map((values) => values.map(read)) };
}
