import { toAsciiDigits } from '../../messages/person';
import { wrongOption } from '../../options/table';
import type { PrepareSettings } from './options';

/** A receptor that was read. */
export interface Receptor {
  /** The receptor as the list has it. */
  readonly text: string;
  /** The digits of the international number, or without a country all digits: equal for receptors that are the same. */
  readonly digits: string;
  /** The reason why messages may not reach it. */
  readonly doubt?: string | undefined;
}

/** Reads the text of a cell, or says why it is no receptor. */
export type ReceptorReader = (cell: string) => Receptor | { readonly problem: string };

/** Makes the function that reads receptors. @throws {ConfigurationError} for an unknown country */
export async function receptorReader({
  country,
  receptorFormat,
  mobileOnly,
}: Pick<PrepareSettings, 'country' | 'receptorFormat' | 'mobileOnly'>): Promise<ReceptorReader> {
  if (country === undefined || receptorFormat === undefined) return readDigits;
  // The rules of all countries take 35 ms and 20 MB.
  const phone = await import('awesome-phonenumber');
  const regions = new Set(phone.getSupportedRegionCodes());
  if (!regions.has(country))
    throw wrongOption('country', `${country} is not a country code: give two letters, such as IR`);
  const countryCode = phone.getCountryCodeForRegionCode(country);
  /** Digits of a mobile number without prefixes. Where mobile numbers have several lengths, these are close to it. */
  const mobileLength = (region: string): number =>
    regions.has(region) ? (phone.getExample(region, 'mobile').number?.significant.length ?? 0) : 0;
  return (cell) => {
    // A table program writes a number as a decimal. A slash may be between an area and a number.
    const given = plainText(cell).replace(/^(\d+)[.,]0$/, '$1');
    const problem = problemOf(given.replace(/^([^/]*)\/([^/]*)$/, '$1$2'), 1, Number.POSITIVE_INFINITY);
    if (problem !== undefined) return { problem };
    const { number, ...found } = phone.parsePhoneNumber(given, { regionCode: country });
    if (!found.possible || !number)
      return { problem: `the receptor is not a valid phone number (${found.possibility.replaceAll('-', ' ')})` };
    // Short numbers of offices are possible too, and the beginning of a number looks like one.
    if (!found.valid && number.significant.length < mobileLength(found.regionCode ?? '') - 2)
      return { problem: 'the receptor is not a valid phone number (too short)' };
    if (receptorFormat === 'national' && found.countryCode !== countryCode)
      return { problem: `the receptor is a number of another country, and has no national form in ${country}` };
    const doubt = found.valid ? (found.typeIsMobile ? undefined : 'not a mobile number') : 'not known to be valid';
    if (mobileOnly && found.valid && !found.typeIsMobile) return { problem: 'the receptor is not a mobile number' };
    const forms = { national: number.national.replace(/\D/g, ''), international: number.e164, 'as-written': given };
    return { text: forms[receptorFormat], digits: number.e164.slice(1), doubt };
  };
}

/** Reads a receptor of 3 to 15 digits. Nothing is removed that may say which number it is. */
function readDigits(cell: string): ReturnType<ReceptorReader> {
  const text = plainText(cell);
  if (/^(?:\+|00).*\(0\)/.test(text))
    return { problem: 'the receptor has (0) after a country code: prepare with a country' };
  if (/^\d+[.,]0$/.test(text)) return { problem: 'the receptor is a decimal number of a table program' };
  const given = withoutSigns(text);
  const problem = problemOf(text, 3, 15);
  return problem === undefined ? { text: given, digits: given.replace('+', '') } : { problem };
}

/** A cell with ASCII digits, without invisible characters, and without the signs that mark a number as a text. */
function plainText(cell: string): string {
  const text = toAsciiDigits(cell.replace(/[\p{Cf}\s]+/gu, (signs) => (/\s/.test(signs) ? ' ' : ''))).trim();
  return text.replace(/^'|^tel:/i, '').trim();
}

/** Removes blanks, brackets and hyphens, and dots between groups of digits. */
function withoutSigns(text: string): string {
  const grouped = /\d\.\d+\.\d/.test(text) ? text.replace(/(?<=\d)\.(?=\d)/g, '') : text;
  return grouped.replace(/[\s()[\]{}\p{Pd}\u2212]/gu, '');
}

/** Matches two numbers of five digits and more, with something between them that is no blank, hyphen or dot alone. */
const SEVERAL =
  /\d(?:[\s()\p{Pd}.]*\d){4,}\s*(?:[,;/|:&،؛]|و|and|or|یا)[\s,;/|:&]*(?:\+|\d|\()(?:[\s()\p{Pd}.]*\d){4,}/iu;

/** Says why a text is not a number of `min` to `max` digits; undefined for such a number. */
function problemOf(text: string, min: number, max: number): string | undefined {
  const plain = withoutSigns(text);
  if (plain === '') return 'the receptor is empty';
  if (/^[+-]?\d+(?:[.,]\d+)?E[+-]?\d+$/i.test(plain))
    return 'the receptor is a number that a spreadsheet has shortened';
  if (/\d\s*(?:ext|x|#|داخلی)[\s.:]*\d+\s*$/iu.test(text)) return 'the receptor has an extension';
  if (SEVERAL.test(text)) return 'the cell has two numbers: give each a row of its own';
  if (!/^\+?\d+$/.test(plain)) return 'the receptor has other characters than digits';
  const { length } = plain.replace('+', '');
  return length < min || length > max ? `the receptor has fewer than ${min} or more than ${max} digits` : undefined;
}
