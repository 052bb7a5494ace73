// Each command that sends, and the preparation of a list, reads receptors here.

/** The meaning of a text as a receptor. */
export type Reading =
  | {
      readonly kind: 'one';
      /** The number in ASCII digits, with at most one leading plus sign. */
      readonly number: string;
      /** The text without what no reader needs: invisible characters, and the sign that marks a number as a text. */
      readonly text: string;
      /** True for a text that is written as the number is. */
      readonly isPlain: boolean;
    }
  | {
      readonly kind: 'several';
      readonly text: string;
      /** The numbers; empty where nothing says which groups of digits belong together. */
      readonly parts: readonly string[];
    }
  | { readonly kind: 'wrong'; readonly text: string; readonly reason: NoReceptor };

/** The reasons why a text is no receptor, in words that follow "the receptor". */
const reasons = {
  empty: 'is empty',
  shortened: 'is a number that a spreadsheet has shortened',
  error: 'is an error of the spreadsheet',
  trunk: 'has (0) after a country code',
  decimal: 'is a decimal number of a table program',
  thousands: 'has thousands separators',
  extension: 'has an extension',
  letters: 'has other characters than digits',
  length: 'has fewer than 3 or more than 15 digits',
} as const;

export type NoReceptor = keyof typeof reasons;

/** The fewest and the most digits of a phone number. Some services have short numbers of three. */
const [FEWEST, MOST] = [3, 15];
/** The fewest digits on each side of a comma, or of another sign between numbers, where both sides are numbers. */
const FEWEST_AT_SIGN = 5;
/** The fewest digits on each side of a blank where both sides are numbers: within a number, blanks separate groups. */
const FEWEST_AT_BLANK = 8;

/** Each of these separates numbers, in some language. A plus sign begins the number that follows it. */
const BETWEEN = /[,;/|:&،؛]|و|and|or|یا|(?<=\d) ?(?=\+)/iu;
const HYPHENS = /[\p{Pd}\u2212]/gu;

/** Reads a receptor as every service can read it. */
export function readReceptor(given: string): Reading {
  if (/^\+?\d{3,15}$/.test(given)) return { kind: 'one', number: given, text: given, isPlain: true };
  const text = plainText(given);
  const number = withoutSigns(text);
  const unformatted = withoutFormat(text);
  const wrong = (reason: NoReceptor): Reading => ({ kind: 'wrong', text: unformatted, reason });
  if (text === '') return wrong('empty');
  if (/^[+-]?\d+(?:[.,]\d+)?E[+-]?\d+$/i.test(number)) return wrong('shortened');
  if (/^#[A-Z/0]+[!?]?$/i.test(text)) return wrong('error');
  if (/\d\D*\( ?0 ?\)/.test(text)) return wrong('trunk');
  if (withoutDecimals(text) !== text) return wrong('decimal');
  if (unformatted !== text) return wrong('thousands');
  if (/\d ?(?:ext|x|#|داخلی)[\s.:]*\d+$/iu.test(text)) return wrong('extension');
  const parts = findSeveral(text);
  if (parts !== undefined) return { kind: 'several', text, parts };
  if (!/^\+?\d+$/.test(number)) return wrong('letters');
  const digits = number.replace('+', '').length;
  if (digits < FEWEST || digits > MOST) return wrong('length');
  return { kind: 'one', number, text, isPlain: false };
}

/** Describes a mistake in words that follow "the receptor"; undefined for a receptor. */
export function describeReading(reading: Reading): string | undefined {
  if (reading.kind === 'several') return 'has two numbers';
  return reading.kind === 'wrong' ? reasons[reading.reason] : undefined;
}

/**
 * Splits a text at blanks between parts of 8 digits and more. `0912 345 6789` is one receptor, and
 * `09123456789 09123456780` are two. A text with another separator is not split: its user is told.
 */
export function splitAtBlanks(text: string): readonly string[] {
  if (/[,;/|:&،؛]/.test(text)) return [text];
  const receptors: string[] = [];
  let last = 0;
  for (const part of text.split(/(?<=\S)(?=\s+\S)/)) {
    const digits = countDigits(part);
    if (receptors.length > 0 && Math.min(last, digits) < FEWEST_AT_BLANK) receptors[receptors.length - 1] += part;
    else receptors.push(part);
    last = digits;
  }
  return receptors.length > 1 ? receptors.map((receptor) => receptor.trim()) : receptors;
}

/** True for a text of ASCII characters only, which most are. The patterns of Unicode take long. */
export function isAscii(text: string): boolean {
  return /^[\t\r\n -~]*$/.test(text);
}

/** Writes the digits of every script as 0 to 9. */
export function toAsciiDigits(text: string): string {
  if (isAscii(text)) return text;
  return text.replace(/[^\P{Nd}0-9]/gu, (digit) => String(digitValue(digit.codePointAt(0) as number)));
}

/** Finds the numbers of a text that has several, as far as it says where they end; undefined for another text. */
function findSeveral(text: string): readonly string[] | undefined {
  const parts = text.split(BETWEEN).map((part) => part.trim());
  if (parts.filter((part) => countDigits(part) >= FEWEST_AT_SIGN).length > 1) return parts.filter(Boolean);
  const blanks = text.replace(HYPHENS, ' ').trim();
  const split = splitAtBlanks(blanks);
  if (split.length > 1) return split;
  return blanks.includes(' ') && countDigits(blanks) > MOST ? [] : undefined;
}

/**
 * A text with ASCII digits, brackets and plus signs, with one blank for each run of them, without invisible characters,
 * and without the sign that marks a number as a text.
 */
function plainText(given: string): string {
  const narrow = given
    .replace(/[（﹙]/g, '(')
    .replace(/[）﹚]/g, ')')
    .replace(/[＋﹢]/g, '+');
  const text = toAsciiDigits(narrow.replace(/[\p{Cf}\s]+/gu, (signs) => (/\s/.test(signs) ? ' ' : ''))).trim();
  return text.replace(/^'|^tel:/i, '').trim();
}

/** A number without the decimals and the thousands separators with which a spreadsheet program shows a number. */
function withoutFormat(text: string): string {
  const number = withoutDecimals(text);
  return /^\d{1,3}([,'\u2019\u066c])\d{3}(?:\1\d{3})+$/.test(number) ? number.replace(/\D/g, '') : number;
}

/** A number without decimals that are zeros. Three zeros after at most three digits may be thousands. */
function withoutDecimals(text: string): string {
  const [, whole = text, zeros = ''] = /^(\d+|\d{1,3}(?:[,'\u2019\u066c]\d{3})+)[.,\u066b](0+)$/.exec(text) ?? [];
  return zeros.length < 3 || /^\d{4}/.test(whole) ? whole : text;
}

/** Removes blanks, brackets and hyphens, and dots between groups of digits. */
function withoutSigns(text: string): string {
  const grouped = /\d\.\d+\.\d/.test(text) ? text.replace(/(?<=\d)\.(?=\d)/g, '') : text;
  return grouped.replace(HYPHENS, '').replace(/[\s()[\]{}]/g, '');
}

/** The number of digits of any script. */
function countDigits(text: string): number {
  return text.replace(/\P{Nd}/gu, '').length;
}

/** Digits of a script follow each other from 0 to 9, and so do the scripts that have no characters between them. */
function digitValue(codePoint: number): number {
  let first = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return (codePoint - first) % 10;
}
