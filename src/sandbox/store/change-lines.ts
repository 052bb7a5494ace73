import { type RecordName, records } from '../../../generated/operations';
import { isObject } from '../../options/table';
import type { Element } from '../../soap/element';
import { findValueProblem } from '../../soap/values';
import { isInRange } from '../../xml/integers';
import { isOperationName } from '../wire/arguments';
import type { Change } from './message-store';

/** The line of a change in a data file: JSON, in which a long is a string. */
export function writeChange(change: Change): string {
  return `${JSON.stringify(convertChange(change, String))}\n`;
}

/** @returns undefined when `writeChange` does not write such a line */
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

/** Returns any value but the digits of a long unchanged. */
function parseLong(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : value;
}

/** The names of all elements that are longs. */
const longs: readonly string[] = [
  'call',
  ...new Set(Object.values(records).flatMap((elements) => elements.filter(isLong).map(({ name }) => name))),
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
  const change = value as Fields | null | undefined;
  switch (change?.kind) {
    case 'sent':
      return isRecord('ApiSelect', change.record) && isEntry(change);
    case 'received':
      return isRecord('ApiReceive', change.record);
    case 'status':
      return (
        ['messageid', 'status', 'statustext'].every((name) => holds('ApiSelect', name, change)) && isMs(change.stepMs)
      );
    case 'removed':
      return holds('ApiSelect', 'messageid', change);
    case 'delivery':
      // Its parts are checked where it is restored.
      return isObject(change.delivery);
    case 'advanced':
      return change.ms !== undefined && isMs(change.ms);
    case 'read':
      return holds('ApiReceive', 'messageid', change);
    default:
      return change?.kind === 'reset';
  }
}

/** True for the fields beside the record of a sent message. */
function isEntry({ call, operation, mode, startMs, stepMs }: Fields): boolean {
  const isKnown = typeof operation === 'string' && isOperationName(operation);
  const isMode = Number.isInteger(mode) && isInRange('int', mode as number);
  return typeof call === 'bigint' && isKnown && isMode && isMs(startMs) && isMs(stepMs);
}

function isMs(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value));
}

interface Fields {
  readonly [name: string]: unknown;
}

function isRecord(record: RecordName, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Fields;
  return records[record].every((element) =>
    fields[element.name] === undefined ? element.optional : isValueOf(element, fields[element.name]),
  );
}

/** True when a field has a value that this element of a record may have. */
function holds(record: RecordName, name: string, fields: Fields): boolean {
  const element = records[record].find((one) => one.name === name);
  return element !== undefined && isValueOf(element, fields[name]);
}

function isValueOf(element: Element, value: unknown): boolean {
  if (value === null) return element.nillable === true;
  // A received message may hold characters that XML cannot carry.
  if (element.kind === 'text') return typeof value === 'string';
  if (element.kind === 'list' || element.kind === 'record') return false;
  return isLong(element) === (typeof value === 'bigint') && findValueProblem(element, value) === undefined;
}

function isLong(element: Element): boolean {
  return element.kind === 'integer' && element.type === 'long';
}
