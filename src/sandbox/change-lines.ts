import { type Field, type RecordName, records } from '../../generated/operations';
import type { Change } from './state';
import { writeJson } from './views';
import { isIntegerType } from './wire/values';

/** The line of a change in a data file: JSON, in which a long is a string. */
export function writeChange(change: Change): string {
  return `${writeJson(change)}\n`;
}

/** @returns undefined when the line is not one that `writeChange` writes */
export function readChange(line: string): Change | undefined {
  const change = parse(line);
  return isChange(change) ? change : undefined;
}

/** The names of all fields that are longs. */
const longs = new Set(
  Object.values(records).flatMap((fields) => fields.filter(({ type }) => type === 'long').map(({ name }) => name)),
);

function parse(line: string): unknown {
  try {
    return JSON.parse(line, (name, value) => {
      const isLong = longs.has(name) && typeof value === 'string' && /^-?\d{1,19}$/.test(value);
      return isLong ? BigInt(value) : value;
    });
  } catch {
    return undefined;
  }
}

function isChange(value: unknown): value is Change {
  const change = value as { readonly [name: string]: unknown } | null | undefined;
  switch (change?.kind) {
    case 'sent':
      return isRecord('ApiSelect', change.record);
    case 'received':
      return isRecord('ApiReceive', change.record);
    case 'status':
      return isOf('long', change.messageid) && isOf('int', change.status) && isOf('string', change.statustext);
    case 'read':
      return isOf('long', change.messageid);
    default:
      return change?.kind === 'reset';
  }
}

function isRecord(name: RecordName, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as { readonly [name: string]: unknown };
  return records[name].every((field) =>
    fields[field.name] === undefined ? field.optional : isOf(field.type, fields[field.name], field.nillable),
  );
}

function isOf(type: Field['type'], value: unknown, nillable = false): boolean {
  if (nillable && value === null) return true;
  if (type === 'boolean') return typeof value === 'boolean';
  if (isIntegerType(type)) return typeof value === (type === 'long' ? 'bigint' : 'number');
  return typeof value === 'string';
}
