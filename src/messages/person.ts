import { hash } from 'node:crypto';
import { isAscii, toAsciiDigits } from './receptor';

// The person of a receptor, and texts that are one: a service or an office program may write both in another way.

/** The number of last digits that a number has in every way to write it. */
const LAST = 7;
/** The number of digits before them, which are compared where both numbers have them. */
const FURTHER = 3;

/** The values of further digits: of numbers, of numbers that begin with a zero, and of other receptors. */
const NUMBERS = 11 ** FURTHER;
const OTHERS = 2 * NUMBERS;
const VALUES = 1 << 16;

/** The last seven digits of a receptor; the receptor itself when it has no digits. */
export function receptorLikeness(receptor: string | null | undefined): string {
  const text = toAsciiDigits(receptor ?? '');
  return text.replace(/\D/g, '').slice(-LAST) || text;
}

/** A text without blanks and invisible characters, with composed letters and the digits 0 to 9. */
export function textLikeness(message: string | null | undefined): string {
  const text = message ?? '';
  if (isAscii(text)) return text.replace(/\s/g, '');
  return toAsciiDigits(text.normalize('NFC').replace(/[\s\p{Cf}]/gu, ''));
}

/** The person of a receptor, without its further digits, in 48 bits; 0 for a row without a receptor. */
export function personOf(receptor: string | null | undefined): number {
  if (!receptor) return 0;
  const likeness = receptorLikeness(receptor);
  // A number whose digits follow a one keeps its zeros.
  return /^\d+$/.test(likeness)
    ? Number(`1${likeness}`)
    : Number.parseInt(hash('sha256', likeness, 'hex').slice(0, 12), 16);
}

/**
 * What distinguishes receptors with the same last seven digits, in 16 bits: the three digits before them, as far as the
 * number has them after the zeros at its beginning. A receptor that is no number of seven digits or more has a hash of
 * its text.
 */
export function furtherDigits(receptor: string): number {
  const text = isAscii(receptor) ? receptor : toAsciiDigits(receptor.replace(/\p{Cf}/gu, ''));
  const digits = text.replace(/\D/g, '');
  if (digits.length < LAST || !/^[\d\s+\p{Pd}\u2212().]+$/u.test(text)) return OTHERS + hashOf(text);
  const significant = digits.replace(/^0+/, '');
  let further = 0;
  // The nearest digit first, in base 11, where the digit ten says that the number has none.
  for (let place = LAST + 1; place <= LAST + FURTHER; place++)
    further = 11 * further + Number(significant.at(-place) ?? 10);
  return further + (digits.startsWith('0') ? NUMBERS : 0);
}

function hashOf(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16) % (VALUES - OTHERS);
}

/**
 * The further digits of a number, the nearest first: receptors with the same last seven digits are of one person when
 * these digits are shared. A receptor that is no number shares them with nobody.
 */
export function digitsIn(further: number): string {
  if (further >= OTHERS) return `other ${further}`;
  return (further % NUMBERS).toString(11).padStart(FURTHER, '0').replace(/a+$/, '');
}

/** True for further digits that are equal as far as both numbers have them. */
export function areShared(digits: string, others: string): boolean {
  const isNumber = /^\d*$/.test(digits) && /^\d*$/.test(others);
  return isNumber ? digits.startsWith(others) || others.startsWith(digits) : digits === others;
}

/** True for a number that is written with a zero at its beginning. */
export function beginsWithZero(further: number): boolean {
  return further >= NUMBERS && further < OTHERS;
}
