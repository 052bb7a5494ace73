import { createReadStream } from 'node:fs';
import type { Field } from '../../soap/elements/legacy-fields';
import { type IntegerType, integerRanges, parseInteger } from '../../xml/integers';
import { UsageError } from '../terminal/failure';
import type { Io } from '../terminal/io';
import { type DateUnit, isDate, parseDate } from './dates';

const typeTexts: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  long: 'whole number, 64 bits',
  int: 'whole number, 32 bits',
  short: 'whole number, 16 bits',
};

/** A field's type, in words. */
export function typeText({ type, values }: Field): string {
  return values ? `one of ${values.join(', ')}` : (typeTexts[type] ?? type);
}

/**
 * The value of a text, as the client takes it.
 *
 * @param spelling the option, for errors
 * @param dates the unit of dates; with it, ISO 8601 is read too
 * @throws {UsageError}
 */
export function readValue(field: Field, text: string, spelling: string, dates: DateUnit | undefined): unknown {
  const type: string = field.type;
  const refuse = (reason: string): never => {
    throw new UsageError(`${spelling}: ${JSON.stringify(text)} ${reason}`);
  };
  if (field.values && !field.values.includes(text)) refuse(`is not ${typeText(field)}`);
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : refuse('is neither true nor false'));
  if (!Object.hasOwn(integerRanges, type)) return text;
  const value = parseInteger(type as IntegerType, text);
  if (value !== undefined) return value;
  const { min, max } = integerRanges[type as IntegerType];
  if (/^\s*[+-]?\d+\s*$/.test(text)) refuse(`is not within xsd:${type} (${min} to ${max})`);
  if (!isDate(field) || !/^\d{4}-/.test(text)) return refuse('is not a whole number');
  if (!dates) return refuse('is not a whole number; --dates seconds or milliseconds lets it be an ISO 8601 date');
  const date = parseDate(text, dates);
  return (
    date ?? refuse(`is not a date in whole ${dates}: write 2026-01-31, or 2026-01-31T23:59:59Z with Z or an offset`)
  );
}

/**
 * The text of a file, which must be UTF-8. A byte order mark and one line end after the last line are not part of it.
 *
 * @param path `-` for stdin
 * @throws {UsageError}
 */
export async function readText(path: string, io: Pick<Io, 'stdin'>, spelling: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of path === '-' ? io.stdin : createReadStream(path)) chunks.push(Buffer.from(chunk));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? `${path} is not UTF-8` : message;
    throw new UsageError(`${spelling}: ${reason}`, { cause: error });
  }
}

/** The lines of a text; an empty one is refused, since it would be an empty value. */
export function linesOf(text: string, spelling: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  const empty = lines.indexOf('');
  if (empty >= 0) throw new UsageError(`${spelling}: line ${empty + 1} is empty; each line is one value`);
  return lines;
}
