import { operations, type RecordName, records } from '../../../generated/operations';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { formatLine, type RecordTables, recordReader } from '../../journal/records';
import { oneOf, showValue } from '../../options/checks';
import { type OptionRow, readOptions, refuseValue } from '../../options/table';
import type { Element } from '../../soap/element';
import type { OperationName } from '../../types';
import { readInt, readLong, readString } from '../fields';
import { readSimulation, type SandboxDelivery } from './delivery';
import type { SentEntry } from './messages';

/** A change of one record, or of everything: a record of the data file. */
export type Change =
  | ({ readonly t: 'sent' } & SentEntry)
  | StatusChange
  | { readonly t: 'removed'; readonly messageid: bigint }
  | { readonly t: 'received'; readonly record: ApiReceive; readonly isread?: 1 }
  | { readonly t: 'read'; readonly messageid: bigint }
  /** The ids of this list up to `next` are used. A file that was rewritten does not hold their messages. */
  | { readonly t: 'used'; readonly list: 'sent' | 'received'; readonly next: bigint }
  | { readonly t: 'delivery'; readonly delivery: SandboxDelivery }
  | { readonly t: 'advanced'; readonly ms: number }
  | { readonly t: 'reset' };

export interface StatusChange {
  readonly t: 'status';
  readonly messageid: bigint;
  readonly status: number;
  readonly statustext: string;
  /** The `afterMs` of the step that sets the status. Absent when the status is set by hand. */
  readonly stepMs?: number;
}

/** The line of a change. A replacer of JSON would take several times as long. */
export function formatChange(change: Change): string {
  return formatLine(textsOf(change) as unknown as Change);
}

/** Writes longs as texts, in an object and in its record. */
function textsOf(value: object): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) if (typeof copy[name] === 'bigint') copy[name] = String(copy[name]);
  if ('record' in copy) copy.record = textsOf(copy.record as object);
  return copy;
}

const messageid = { read: readLong, required: true } as const;
const ms = { read: readTime };

const tables: RecordTables<Change> = {
  sent: {
    record: { read: recordOf<ApiSelect>('ApiSelect'), required: true },
    call: messageid,
    operation: { read: oneOf(Object.keys(operations) as OperationName[]), required: true },
    mode: { read: readInt, required: true },
    startMs: ms,
    stepMs: ms,
  },
  status: {
    messageid,
    status: { read: readInt, required: true },
    statustext: { read: readString, required: true },
    stepMs: ms,
  },
  removed: { messageid },
  received: {
    record: { read: recordOf<ApiReceive>('ApiReceive'), required: true },
    isread: { read: (value: unknown) => (value === 1 ? value : refuseValue(`${showValue(value)} is not 1`)) },
  },
  read: { messageid },
  used: { list: { read: oneOf(['sent', 'received']), required: true }, next: messageid },
  delivery: { delivery: { read: readSimulation, required: true } },
  advanced: { ms: { ...ms, required: true } },
  reset: {},
};

/** Reads a change that was parsed from JSON; undefined for a value that is no change. */
export const readChange = recordReader<Change>(tables);

/** A time in milliseconds, which is beyond the range of dates for a message with an extreme date. */
function readTime(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : refuseValue('a time is needed');
}

/** Makes a reader of a record. A received message may hold characters that XML cannot carry. */
function recordOf<R>(name: RecordName): (value: unknown) => R {
  const rows = records[name].map((element): [string, OptionRow] => [
    element.name,
    { read: readerOf(element), ...(!element.optional && { required: true }) },
  ]);
  const table = Object.fromEntries(rows);
  return (value) => readOptions(table, value, 'field') as R;
}

function readerOf(element: Element): (value: unknown) => unknown {
  if (element.kind !== 'integer') return readString;
  return element.type === 'long' ? readLong : readInt;
}
