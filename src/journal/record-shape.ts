import type { JournalRecord } from './records';

/** Decides whether a value of a record is valid. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
/** True for a 64-bit number as a decimal text. */
export const isId: Check = (value) => typeof value === 'string' && /^-?\d{1,19}$/.test(value);
export const isIds: Check = (value) => Array.isArray(value) && value.every(isId);

/** The checks of each value, by the kind of record. */
type Shapes<R extends JournalRecord> = { readonly [T in R['t']]: Readonly<Record<string, Check>> };

/** Reads a record that was parsed from JSON; undefined for a value that has the shape of no record. */
export function readShape<R extends JournalRecord>(shapes: Shapes<R>, record: JournalRecord): R | undefined {
  if (!Object.hasOwn(shapes, record.t)) return undefined;
  const values = record as unknown as Readonly<Record<string, unknown>>;
  const shape: [string, Check][] = Object.entries(shapes[record.t as R['t']]);
  return shape.every(([name, isValid]) => isValid(values[name])) ? (record as R) : undefined;
}
