import { type Field, type RecordName, records } from '../soap/elements/legacy-fields';
import { isInRange } from '../xml/integers';
import type { Change } from './state';
import { isIntegerType } from './wire/values';

/** The line of a change in a data file: JSON, in which a long is a string. */
export function writeChange(change: Change): string {
  return `${JSON.stringify(convertChange(change, String))}\n`;
}

/** @returns undefined when the line is not one that `writeChange` writes */
export function readChange(line: string): Change | undefined {
  const change = convertChange(parse(line), parseLong);
  return isChange(change) ? change : undefined;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Anything but the digits of a long stays as it is. */
function parseLong(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : value;
}

/** The names of all fields that are longs. */
const longs: readonly string[] = [
  ...new Set(
    Object.values(records).flatMap((fields) => fields.filter(({ type }) => type === 'long').map(({ name }) => name)),
  ),
];

/** Converts the longs of a change and of its record. A replacer or reviver of JSON would take several times as long. */
function convertChange(value: unknown, convert: (long: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name of longs) if (name in copy) copy[name] = convert(copy[name]);
  if ('record' in copy) copy.record = convertChange(copy.record, convert);
  return copy;
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
  if (type === 'long') return typeof value === 'bigint' && isInRange(type, value);
  if (isIntegerType(type)) return typeof value === 'number' && Number.isInteger(value) && isInRange(type, value);
  return typeof value === 'string';
}
