/** Replaces API keys in text. */
export interface Masker {
  /** Replaces each key, plain or as XML, JSON, a URL or a form spells it. */
  readonly mask: (text: string) => string;
  /** Does the same for a text whose end was cut off, and removes an end that may be the beginning of a key. */
  readonly maskTruncated: (text: string) => string;
}

const MASK = '***';

/** Creates a masker of these keys. A key that is empty or undefined is ignored. */
export function createMasker(...keys: readonly (string | undefined)[]): Masker {
  // A key that contains another key is masked first. Otherwise the rest of it would remain.
  const given = keys
    .filter((key): key is string => key !== undefined && key !== '')
    .sort((a, b) => b.length - a.length);
  let patterns: readonly (readonly RegExp[])[] | undefined;
  const mask = (text: string): string => {
    // Compiled at the first failure, because most clients never fail.
    patterns ??= given.map(compileKey);
    return patterns.reduce(maskKey, text);
  };
  return { mask, maskTruncated: (text) => given.reduce(cutBeginning, mask(text)) };
}

export const noMasker: Masker = createMasker();

/** The number of characters in a pattern. V8 takes time by its square, and runs out of stack for thousands. */
const PIECE_LENGTH = 64;

/** Compiles a pattern for each piece of a key. The first one searches; each other one matches where the last ended. */
function compileKey(key: string): readonly RegExp[] {
  const characters = Array.from(key);
  return Array.from({ length: Math.ceil(characters.length / PIECE_LENGTH) }, (_, index) => {
    const piece = characters.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH).join('');
    return new RegExp(spellingsOf(piece), index === 0 ? 'gu' : 'yu');
  });
}

function maskKey(text: string, [first, ...others]: readonly RegExp[]): string {
  let masked = '';
  let position = 0;
  for (let match = first?.exec(text); first && match; match = first.exec(text)) {
    let end = first.lastIndex;
    const isWhole = others.every((piece) => {
      piece.lastIndex = end;
      const matches = piece.test(text);
      end = piece.lastIndex;
      return matches;
    });
    if (!isWhole) {
      // The key may overlap itself, so the next match may begin at the next character.
      first.lastIndex = match.index + ((text.codePointAt(match.index) as number) > 0xffff ? 2 : 1);
      continue;
    }
    masked += text.slice(position, match.index) + MASK;
    position = end;
    first.lastIndex = end;
  }
  return masked + text.slice(position);
}

/** The length of the longest usual spelling of a character, such as `&amp;#x0000041;`. */
const LONGEST_SPELLING = 16;

/** Cuts off an end of the text that may be the beginning of the key. */
function cutBeginning(text: string, key: string): string {
  for (let start = Math.max(text.length - LONGEST_SPELLING * key.length, 0); start < text.length; start++) {
    if (mayBeginIn(key, text, start)) return text.slice(0, start);
  }
  return text;
}

/** True when the text from `start` to its end may be the beginning of the key. */
function mayBeginIn(key: string, text: string, start: number): boolean {
  for (let index = 0; start + index < text.length; index++) {
    const character = text[start + index] as string;
    // These begin another spelling. U+FFFD is what decoding makes of a character that was cut in its middle.
    if ('&%\\+\ufffd'.includes(character)) return true;
    if (character !== key[index]) return false;
  }
  return true;
}

/** A pattern of all spellings of a text. A row of backslashes is one unit, or there were countless ways to match it. */
function spellingsOf(text: string): string {
  return (text.match(/\\+|./gsu) ?? []).map((unit) => `(?:${escapesOf(unit)}|${literalOf(unit)})`).join('');
}

const NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const JSON_LETTERS: Readonly<Record<string, string>> = { '\t': 't', '\n': 'n', '\r': 'r' };

/** The spellings that escape a character, or each backslash of a row: references of XML, percent signs, and JSON. */
function escapesOf(unit: string): string {
  const [character = ''] = unit;
  const codePoint = character.codePointAt(0) as number;
  const references = [
    `#0*${codePoint}`,
    `#[xX]0*${inEitherCase(codePoint.toString(16))}`,
    NAMES[character] ?? [],
  ].flat();
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index).toString(16));
  const escapes = [
    // An error page that quotes a request escapes its ampersands once more.
    `&(?:amp;)?(?:${references.join('|')});`,
    inEitherCase(Buffer.from(character).toString('hex').replace(/../g, '%$&')),
    units.map((hex) => `\\\\u${inEitherCase(hex.padStart(4, '0'))}`).join(''),
    JSON_LETTERS[character] === undefined ? [] : `\\\\${JSON_LETTERS[character]}`,
  ].flat();
  return unit.length > character.length ? `(?:${escapes.join('|')}){${unit.length}}` : escapes.join('|');
}

/** The character itself. JSON writes a backslash in front of some characters; forms write a space as a plus sign. */
function literalOf(unit: string): string {
  switch (unit[0]) {
    case '\\':
      return `\\\\{${unit.length},${2 * unit.length}}`;
    case '"':
    case '/':
      return `\\\\?${unit === '/' ? '\\/' : unit}`;
    case ' ':
      return '[ +]';
    default:
      // A pattern with the u flag accepts a backslash only in front of these.
      return unit.replace(/[$^.*+?()[\]{}|]/, '\\$&');
  }
}

function inEitherCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
