import { truncate } from '../../internal/text';
import type { RowValues } from '../rows/fields';

/** The length of a part of a text that identifies the text. */
const PART = 8;
/** The longest words that are searched, and the longest words that are kept, in characters. */
const [SEARCHED, KEPT] = [500, 200];
/** Digits of any script with what people write between them: a phone number, or a part of one. */
const NUMBER = /\+?\p{Nd}(?:[ ().-]*\p{Nd}){5,}/gu;

/** Shortens the words of a service for the journal, and masks what they quote of the rows: texts and phone numbers. */
export function keepWords(words: string, rows: readonly RowValues[]): string {
  const text = words.slice(0, SEARCHED);
  const values = rows.flat().filter((value) => typeof value === 'string' && value.length > 3) as string[];
  const masked = new Uint8Array(text.length);
  for (let start = 0; start < text.length; start++) {
    const part = text.slice(start, start + PART);
    if (part.length === PART && values.some((value) => value.includes(part))) masked.fill(1, start, start + PART);
  }
  // A value that is shorter than a part.
  for (const value of new Set(values.filter(({ length }) => length < PART))) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) masked.fill(1, at, at + value.length);
  }
  for (const { 0: number, index } of text.matchAll(NUMBER)) masked.fill(1, index, index + number.length);
  let kept = '';
  for (let index = 0; index < text.length; index++) {
    if (masked[index] === 0) kept += text[index];
    else if (masked[index - 1] !== 1) kept += '***';
  }
  // The end may be cut within a value of a row.
  return truncate(kept, KEPT);
}
