/** Replaces the API key in text. */
export interface Mask {
  readonly mask: (text: string) => string;
  /** The same for truncated text: what may be the start of a key there is left out. */
  readonly maskTruncated: (text: string) => string;
}

const MASK = '***';
const NAMED: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** The start of a reference. Text that was escaped twice, as in a request quoted by an answer, has it escaped itself. */
const AMPERSAND = '&(?:amp;|#0*38;|#[xX]0*26;)*';

/** In characters. Longer than any usual spelling of one character, such as `&amp;#x0000041;`. */
const LONGEST_SPELLING = 16;

/** Replaces the API key in text, plain or in any spelling of its characters in XML or in a URL. */
export function createMask(apiKey: string): Mask {
  let pattern: RegExp | undefined;
  const mask = (text: string): string => {
    // Compiled at the first failure: most clients never need it.
    pattern ??= new RegExp(Array.from(apiKey, spellings).join(''), 'gu');
    return text.replace(pattern, MASK);
  };
  const maskTruncated = (text: string): string => mask(text).slice(0, -LONGEST_SPELLING * apiKey.length);
  return { mask, maskTruncated };
}

/** Masks all of these keys. */
export function createMasks(apiKeys: readonly string[]): (text: string) => string {
  // A key that contains another one is masked first, or its rest would be left.
  const masks = [...apiKeys].sort((a, b) => b.length - a.length).map(createMask);
  return (text) => masks.reduce((masked, { mask }) => mask(masked), text);
}

/** A character as itself, as a numeric reference, by its name where it has one, and with percent signs. */
function spellings(character: string): string {
  const codePoint = character.codePointAt(0) as number;
  // Only these may be escaped in a pattern with the u flag.
  const literal = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  const hex = inEitherCase(codePoint.toString(16));
  const references = [`#0*${codePoint};`, `#[xX]0*${hex};`];
  if (NAMED[character]) references.push(`${NAMED[character]};`);
  const percent = inEitherCase(Buffer.from(character).toString('hex').replace(/../g, '%$&'));
  // References first: the literal "&" would match the first character of one.
  return `(?:${AMPERSAND}(?:${references.join('|')})|${percent}|${literal})`;
}

function inEitherCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
