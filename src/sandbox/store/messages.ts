import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { readOptions } from '../../options/table';
import { orNull, readInt, readLong, readResponseText } from '../fields';

const STATUS_QUEUED = 1;
const STATUS_SCHEDULED = 2;
export const STATUS_CANCELED = 13;
/** The cost of each message. */
export const COST = 120;

/** The statuses that the sandbox knows, with its own texts. */
export const knownStatuses: ReadonlyMap<number, string> = new Map([
  [STATUS_QUEUED, 'queued'],
  [STATUS_SCHEDULED, 'scheduled'],
  [4, 'sent'],
  [6, 'failed'],
  [10, 'delivered'],
  [11, 'undelivered'],
  [STATUS_CANCELED, 'canceled'],
  [14, 'blocked'],
]);

/** The sandbox's own text for a status; empty for a status that has none. */
export function statusTextOf(status: number): string {
  return knownStatuses.get(status) ?? '';
}

/** A message to send. A unixdate of 0 means now. */
export interface OutgoingMessage {
  readonly sender: string | null;
  readonly receptor: string | null;
  readonly message: string | null;
  readonly unixdate: bigint;
  /** The msgmode or messagemode of the request. */
  readonly mode: number;
}

/** A message that the sandbox receives. A field that is null is left out of the record. */
export interface ReceivedMessage {
  readonly sender: string | null;
  /** The line that received the message: the `lineNumber` of ReceiveByApikey. */
  readonly receptor: string | null;
  readonly message: string | null;
  /** Seconds since 1970. Default: now. */
  readonly date?: bigint | number | undefined;
}

/** The record of a message that is sent now. */
export function sentRecord(
  messageid: bigint,
  { message, sender, receptor, unixdate }: OutgoingMessage,
  now: bigint,
): ApiSelect {
  const date = unixdate === 0n ? now : unixdate;
  const status = date > now ? STATUS_SCHEDULED : STATUS_QUEUED;
  const statustext = statusTextOf(status);
  return buildRecord<ApiSelect>({ messageid, message, status, statustext, sender, receptor, date, cost: COST });
}

/** The fields of a record, all of which must be given. A field that the record leaves out is undefined or null. */
type EveryField<R> = { [F in keyof Required<R>]: R[F] | (undefined extends R[F] ? null : never) };

/** Builds a record. The compiler checks the name and type of every field, which it does not do for a spread object. */
export function buildRecord<R extends object>(fields: EveryField<R>): R {
  for (const name in fields) {
    if (fields[name] === null || fields[name] === undefined) delete fields[name];
  }
  return fields as R;
}

/** Seconds since 1970. */
export function unixSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}

const textOrNull = { read: orNull(readResponseText), required: true } as const;
const receivedTable = { sender: textOrNull, receptor: textOrNull, message: textOrNull, date: { read: readLong } };
const statusTable = { status: { read: readInt, required: true }, statustext: { read: readResponseText } } as const;

/** Reads a received message. @throws {WrongValue} */
export const readReceived = (value: unknown) => readOptions(receivedTable, value, 'field');
/** Reads a status and its text. @throws {WrongValue} */
export const readStatus = (value: unknown) => readOptions(statusTable, value, 'field');
