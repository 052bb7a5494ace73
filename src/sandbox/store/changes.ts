import { operations, type RecordName, records } from '../../../generated/operations';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { type RecordsOf, recordReader } from '../../journal/records';
import { oneOf, wholeNumber } from '../../options/checks';
import { listOf, type OptionRow, readOptions } from '../../options/table';
import type { Element } from '../../soap/element';
import type { OperationName } from '../../types';
import { readInt, readLong, readString } from '../fields';
import { readSimulation } from './delivery';

const messageid = { read: readLong, required: true } as const;
const messageids = { read: listOf(readLong), required: true } as const;
const int = { read: readInt, required: true } as const;
/** A time in milliseconds, which is beyond the range of dates for a message with an extreme date. */
const ms = { read: wholeNumber(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY) } as const;

const sent = {
  record: { read: recordOf<ApiSelect>('ApiSelect'), required: true },
  /** The id of the call that sent the message: the id of the first message of the call. */
  call: messageid,
  operation: { read: oneOf(Object.keys(operations) as OperationName[]), required: true },
  /** The msgmode or messagemode of the request. */
  mode: int,
  /**
   * The time from which the steps of the simulated delivery count, in milliseconds since 1970, by the clock of the
   * simulation. Absent once the status was set by hand, which ends the simulation for the message.
   */
  startMs: ms,
  /** The `afterMs` of the last step that the simulation took. Absent before the first step. */
  stepMs: ms,
} as const;

const tables = {
  /** A message was sent. */
  sent,
  /** A message is again as it was: its removal or the change of its status was undone. */
  restored: sent,
  status: {
    messageid,
    status: int,
    statustext: { read: readString, required: true },
    /** The `afterMs` of the step that sets the status. Absent when the status is set by hand. */
    stepMs: ms,
  },
  removed: { messageids },
  received: {
    record: { read: recordOf<ApiReceive>('ApiReceive'), required: true },
    /** 1 once ReceiveByApikey has returned the message. */
    isread: { read: wholeNumber(0, 1), default: 0 },
  },
  read: { messageids },
  /** The ids of this list up to `next` are used. A file that was rewritten does not hold their messages. */
  used: { list: { read: oneOf(['sent', 'received']), required: true }, next: messageid },
  delivery: { delivery: { read: readSimulation, required: true } },
  /** The clock of the simulation was moved ahead. */
  advanced: { ms: { ...ms, required: true } },
  reset: {},
} as const;

type Changes = RecordsOf<typeof tables>;

/** A change of what a sandbox keeps: a record of the data file. */
export type Change = Changes[keyof Changes];
/** A sent message: the change that added it, as later changes have made it. */
export type SentMessage = Changes['sent'];
/** A received message: the change that added it, as later changes have made it. */
export type KeptReceived = Changes['received'];
export type StatusChange = Changes['status'];

/** Reads a change that was parsed from JSON; undefined for a value that is no change. */
export const readChange = recordReader<Change>(tables);

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
