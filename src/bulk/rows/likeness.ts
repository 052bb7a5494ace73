/** The last seven digits of a receptor; the receptor itself when it has no digits. */
export function receptorLikeness(receptor: string | null | undefined): string {
  const text = toAsciiDigits(receptor ?? '');
  return text.replace(/\D/g, '').slice(-7) || text;
}

/** A text without blanks, and with the digits 0 to 9. */
export function textLikeness(message: string | null | undefined): string {
  return toAsciiDigits((message ?? '').replace(/\s/g, ''));
}

/** Writes the digits of every script as 0 to 9. */
export function toAsciiDigits(text: string): string {
  return text.replace(/[^\P{Nd}0-9]/gu, (digit) => String(digitValue(digit.codePointAt(0) as number)));
}

/** Digits of a script follow each other from 0 to 9, and so do the scripts that have no characters between them. */
function digitValue(codePoint: number): number {
  let first = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return (codePoint - first) % 10;
}
