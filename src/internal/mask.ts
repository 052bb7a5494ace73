/** Replaces the API key in text. */
export interface Mask {
  readonly mask: (text: string) => string;
  /** The same for truncated text: what may be the start of a key there is left out. */
  readonly maskTruncated: (text: string) => string;
}

/** For text that no key can be in. */
export const noMask: Mask = { mask: (text) => text, maskTruncated: (text) => text };

const MASK = '***';
const NAMED: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
/** What follows the backslash in JSON's short escapes of characters that a key may have; the others have a pattern of their own. */
const JSON_SHORT: Readonly<Record<string, string>> = { '\t': 't', '\n': 'n', '\r': 'r' };

/** The backslashes of an escape in JSON. JSON inside JSON has two, that inside JSON four. */
const BACKSLASHES = '\\\\{1,4}';

/**
 * What may follow the ampersand of a reference in text that was escaped more than once, as in a request quoted by an answer. It is
 * bounded, since V8 runs out of stack on megabytes of it.
 */
const ESCAPED_AGAIN = '(?:amp;|#0*38;|#[xX]0*26;){0,4}';

/** In characters. Longer than any usual spelling of one character, such as `&amp;#x0000041;`. */
const LONGEST_SPELLING = 16;

/** In characters. A shorter name in a key says little, and could be any word. */
const SHORTEST_NAME = 4;

/** In characters. V8 takes a time that grows with the square of a pattern's length, and runs out of stack for a key of thousands. */
const LONGEST_PIECE = 64;

/** Replaces the API key in text, plain or in any spelling of its characters in XML, in JSON, in a URL or in a form. */
export function createMask(apiKey: string): Mask {
  let patterns: { readonly key: readonly RegExp[]; readonly names: readonly RegExp[] } | undefined;
  const mask = (text: string): string => {
    // Compiled at the first failure: most clients never need it.
    patterns ??= {
      key: piecesOf(apiKey).map((piece, index) => new RegExp(spellingsOf(piece), index === 0 ? 'gu' : 'yu')),
      names: namesIn(apiKey).map((name) => new RegExp(spellingsOf(name), 'gu')),
    };
    return patterns.names.reduce((rest, name) => rest.replace(name, MASK), maskKey(text, patterns.key));
  };
  const maskTruncated = (text: string): string => {
    const masked = mask(text);
    for (let start = Math.max(masked.length - LONGEST_SPELLING * apiKey.length, 0); start < masked.length; start++) {
      if (mayEndIn(apiKey, masked, start)) return masked.slice(0, start);
    }
    return masked;
  };
  return { mask, maskTruncated };
}

/** Masks all of these keys. */
export function createMasks(apiKeys: readonly string[]): (text: string) => string {
  // A key that contains another one is masked first, or its rest would be left.
  const masks = [...apiKeys].sort((a, b) => b.length - a.length).map(createMask);
  return (text) => masks.reduce((masked, { mask }) => mask(masked), text);
}

/** @param pieces finds the first piece of the key, and then matches the others one after the other */
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

/** A key in pieces of a length that a pattern can have. */
function piecesOf(apiKey: string): string[] {
  const characters = Array.from(apiKey);
  return Array.from({ length: Math.ceil(characters.length / LONGEST_PIECE) }, (_, index) =>
    characters.slice(index * LONGEST_PIECE, (index + 1) * LONGEST_PIECE).join(''),
  );
}

/** The names that a parser sees in a key that stands in XML as it is: they turn up in messages by themselves. */
function namesIn(apiKey: string): string[] {
  return /[<&]/.test(apiKey) ? apiKey.split(/[<&>;:/="'\s]+/).filter((name) => name.length >= SHORTEST_NAME) : [];
}

/** Whether the text from `start` to its end may be the start of a key. What begins another spelling always may be. */
function mayEndIn(apiKey: string, text: string, start: number): boolean {
  for (let index = 0; start + index < text.length; index++) {
    const character = text[start + index] as string;
    // U+FFFD is what is left of a character that was cut in the middle.
    if ('&%\\+\ufffd'.includes(character)) return true;
    if (character !== apiKey[index]) return false;
  }
  return true;
}

function spellingsOf(text: string): string {
  // Backslashes in a row are one unit: each for itself, there would be countless ways to match a long row.
  return (text.match(/\\+|./gsu) ?? []).map(spellings).join('');
}

/** A character, or backslashes, as itself, as a numeric reference, by its name where it has one, with percent signs and in JSON. */
function spellings(characters: string): string {
  const [character = ''] = characters;
  const { length } = Array.from(characters);
  const codePoint = character.codePointAt(0) as number;
  const hex = inEitherCase(codePoint.toString(16));
  const references = [`#0*${codePoint};`, `#[xX]0*${hex};`];
  if (NAMED[character]) references.push(`${NAMED[character]};`);
  const percent = inEitherCase(Buffer.from(character).toString('hex').replace(/../g, '%$&'));
  const units = Array.from({ length: character.length }, (_, index) => hexOf(character.charCodeAt(index)));
  const escaped = [
    // What XML escapes, JSON may escape again.
    `${NAMED[character] ? `(?:&|${BACKSLASHES}u0026)` : '&'}${ESCAPED_AGAIN}(?:${references.join('|')})`,
    percent,
    units.map((unit) => `${BACKSLASHES}u${unit}`).join(''),
  ];
  if (JSON_SHORT[character]) escaped.push(`${BACKSLASHES}${JSON_SHORT[character]}`);
  // References first: the literal "&" would match the first character of one.
  return `(?:(?:${escaped.join('|')}){${length}}|${literal(character, length)})`;
}

/** As it is, or as JSON and forms have it where that takes no code point. */
function literal(character: string, length: number): string {
  switch (character) {
    case '\\':
      return `\\\\{${length},${4 * length}}`;
    case '"':
    case '/':
      return `\\\\{0,4}${character === '/' ? '\\/' : character}`;
    case ' ':
      return '[ +]';
    default:
      // Only these may be escaped in a pattern with the u flag.
      return character.replace(/[$^.*+?()[\]{}|]/, '\\$&');
  }
}

/** Four digits. */
function hexOf(unit: number): string {
  return inEitherCase(unit.toString(16).padStart(4, '0'));
}

function inEitherCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
