import { escapeAttribute, escapeText } from '../xml/escape';
import { toWellFormed } from '../xml/references';
import { truncate } from './text';

/** Replaces API keys in text. */
export interface Masker {
  /** Replaces each key, plain or as XML, JSON, a URL, a form, base64 or hexadecimal digits spell it. */
  readonly mask: (text: string) => string;
  /** Does the same for a text whose end was cut off, and removes an end that may be the beginning of a key. */
  readonly maskTruncated: (text: string) => string;
}

/** Creates a masker of these keys. A key that is empty or undefined is ignored. */
export function createMasker(...keys: readonly (string | undefined)[]): Masker {
  // A key that contains another key is masked first. Otherwise the rest of it would remain.
  const given = keys
    .filter((key): key is string => key !== undefined && key !== '')
    .sort((a, b) => b.length - a.length);
  const pieces = given.flatMap(piecesOf);
  let patterns: readonly RegExp[] | undefined;
  const mask = (text: string): string => {
    // Compiled at the first failure, because most clients never fail.
    patterns ??= [
      ...pieces.map(patternOf),
      ...given.flatMap(encodingsOf),
      ...(pieces.length > given.length ? ['(?:\\*{3}){2,}'] : []),
    ].map((pattern) => new RegExp(pattern, 'giu'));
    return patterns.reduce((masked, pattern) => masked.replace(pattern, '***'), text);
  };
  return { mask, maskTruncated: (text) => pieces.flatMap(plainSpellingsOf).reduce(cutBeginning, mask(text)) };
}

export const noMasker: Masker = createMasker();

/** Masks the beginning of a text, because a service may send a text of any length, and masking takes time. */
export function maskStart(text: string, length: number, { mask, maskTruncated }: Masker): string {
  return text.length > length ? maskTruncated(truncate(text, length)) : mask(text);
}

/** The number of characters in a pattern. V8 runs out of stack for thousands. */
const PIECE_LENGTH = 256;

/** Splits a key into pieces of equal length, each a list of characters and rows of backslashes. */
function piecesOf(key: string): readonly (readonly string[])[] {
  const units = key.match(/\\+|./gsu) ?? [];
  const count = Math.ceil(units.length / PIECE_LENGTH);
  const size = Math.ceil(units.length / count);
  return Array.from({ length: count }, (_, index) => units.slice(index * size, (index + 1) * size));
}

/**
 * The length of a key, in characters, below which it is masked as a whole word only: one or two letters are in many
 * words. No service has such keys, because they are guessed at once.
 */
const SHORTEST = 3;

function patternOf(units: readonly string[]): string {
  const pattern = units.map(spellingsOf).join('');
  return units.join('').length < SHORTEST ? `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])` : pattern;
}

/** Patterns of the key in base64, at each place in a group of three bytes, and in hexadecimal digits. */
function encodingsOf(key: string): readonly string[] {
  const bytes = Buffer.from(key);
  // A few letters are in many words.
  return bytes.length < 8 ? [] : [bytes.toString('hex'), ...[0, 1, 2].map((before) => base64Of(bytes, before))];
}

/** The characters of base64 that depend on the key alone, when a number of other bytes precede it. */
function base64Of(bytes: Buffer, before: number): string {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  const [start, end] = [Math.ceil((before * 4) / 3), Math.floor((all.length * 4) / 3)];
  const text = all.toString('base64').slice(start, end);
  return text.replace(/[+/]/g, (sign) => (sign === '+' ? '[+-]' : '[/_]'));
}

const NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const JSON_LETTERS: Readonly<Record<string, string>> = { '\t': 't', '\n': 'n', '\r': 'r' };

/** A pattern of a character, or of a row of backslashes, in all its spellings. Each quotation may escape it anew. */
function spellingsOf(unit: string, index: number): string {
  const [character = ''] = unit;
  const codes = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const spellings = [
    referenceTo(character.codePointAt(0) as number, NAMES[character]),
    ...(codes.length > 1 ? [codes.map((code) => referenceTo(code)).join('')] : []),
    Buffer.from(character).toString('hex').replace(/../g, '%(?:25){0,2}$&'),
    ...(JSON_LETTERS[character] === undefined ? [] : [`\\\\{1,8}${JSON_LETTERS[character]}`]),
  ];
  if (character === '\\') {
    // The lookahead takes all backslashes at once. Otherwise there are countless ways to divide them.
    const row = `(?:\\\\(?:u005c)?|${spellings.join('|')}){1,${8 * unit.length}}`;
    return `(?=(?<row${index}>${row}))\\k<row${index}>`;
  }
  // A row of backslashes in front may have taken those of the escape.
  const escapes = codes.map((code) => `\\\\{0,8}u${code.toString(16).padStart(4, '0')}`).join('');
  return `(?:${literalOf(character)}|${spellings.join('|')}|${escapes})`;
}

function referenceTo(code: number, name?: string): string {
  return `&(?:amp;){0,3}(?:#0*${code}|#x0*${code.toString(16)}${name === undefined ? '' : `|${name}`});`;
}

/** The character itself. JSON writes backslashes in front of some characters; forms write a space as a plus sign. */
function literalOf(character: string): string {
  if (character === ' ') return '[ +]';
  if (character === '"' || character === '/') return `\\\\{0,8}\\u{${character.charCodeAt(0).toString(16)}}`;
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** The usual spellings of a piece of a key, of which a cut may leave the beginning. */
function plainSpellingsOf(units: readonly string[]): readonly string[] {
  const piece = units.join('');
  return [
    piece,
    escapeText(piece),
    escapeAttribute(piece),
    JSON.stringify(piece).slice(1, -1),
    encodeURIComponent(toWellFormed(piece)),
  ];
}

/** Cuts off an end of the text that is the beginning of a spelling. */
function cutBeginning(text: string, spelling: string): string {
  for (let length = spelling.length; length >= SHORTEST; length--) {
    if (text.endsWith(spelling.slice(0, length))) return text.slice(0, -length);
  }
  return text;
}
