import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { DateUnit } from '../../client/options/settings';
import { decodeText, NotText } from '../../internal/decode-text';
import type { Element } from '../../soap/element';
import { explainText, type PlainValue, parseValue, type ValueElement } from '../../soap/values';
import { isIntegerText } from '../../xml/integers';
import { UsageError } from '../terminal/failure';
import type { Io } from '../terminal/io';
import { isDate, parseDate, yearMistake } from './dates';

/** The element of one value: the item of a list, any other element itself. @throws {TypeError} for a record */
export function valueElement(element: Element): ValueElement {
  const value = element.kind === 'list' ? element.item : element;
  if (value.kind === 'record') throw new TypeError(`${element.name}: a record cannot be given on the command line`);
  // A list is named in errors and in the help, not its item.
  return { ...value, name: element.name };
}

/**
 * Reads a text as the value that the client takes.
 *
 * @param spelling the option, for errors
 * @param dates the unit of dates; with it, ISO 8601 is read too
 * @throws {UsageError}
 */
export function readValue(
  element: ValueElement,
  text: string,
  spelling: string,
  dates: DateUnit | undefined,
): PlainValue {
  const value = parseValue(element, text) ?? (dates && isDate(element) ? parseDate(text, dates) : undefined);
  if (value !== undefined) return value;
  throw new UsageError(`${spelling}: ${JSON.stringify(text)} ${explainValue(element, text, dates)}`);
}

/** Reads a number of 64 bits. @throws {UsageError} */
export function readLongValue(text: string, spelling: string): bigint {
  return readValue({ name: 'id', kind: 'integer', type: 'long' }, text, spelling, undefined) as bigint;
}

function explainValue(element: ValueElement, text: string, dates: DateUnit | undefined): string {
  if (!isDate(element) || isIntegerText(text)) return explainText(element, text);
  if (!dates) return 'is not a date: write a whole number; --dates seconds or milliseconds lets it be an ISO 8601 date';
  return (
    yearMistake(text) ??
    `is not a date in whole ${dates}: write a whole number, 2026-01-31 23:59 (local time), 2026-01-31 (UTC), or 2026-01-31T23:59:59Z with Z or an offset`
  );
}

/**
 * Reads the text of a file in UTF-8, or in UTF-16 with a byte order mark. The mark and one line end after the last line
 * are left out.
 *
 * @param path `-` for stdin
 * @throws {UsageError} and the reason of the signal when it aborts
 */
export async function readText(
  path: string,
  { io, signal }: { readonly io: Pick<Io, 'stdin'>; readonly signal: AbortSignal | undefined },
  spelling: string,
): Promise<string> {
  const chunks: Buffer[] = [];
  const stream = path === '-' ? io.stdin : createReadStream(path);
  if (signal) addAbortSignal(signal, stream);
  try {
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
    return decodeText(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  } catch (error) {
    signal?.throwIfAborted();
    const { message } = error as Error;
    throw new UsageError(`${spelling}: ${error instanceof NotText ? `${path} ${message}` : message}`, { cause: error });
  }
}

/** Splits a text into lines. @throws {UsageError} for an empty line, which would be an empty value */
export function linesOf(text: string, spelling: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  const empty = lines.indexOf('');
  if (empty >= 0) throw new UsageError(`${spelling}: line ${empty + 1} is empty; each line is one value`);
  return lines;
}
