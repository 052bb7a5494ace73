import { describeReading, type NoReceptor, type Reading, readReceptor } from '../../messages/receptor';
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
    // A slash may be between an area and a number.
    const reading = readReceptor(cell.replace(/^([^/]*)\/([^/]*)$/, '$1$2'));
    if (reading.kind !== 'one' && !isOfCountry(reading)) return { problem: problemOf(reading) };
    const { number, ...found } = phone.parsePhoneNumber(reading.text, { regionCode: country });
    if (!found.possible || !number)
      return { problem: `the receptor is not a valid phone number (${found.possibility.replaceAll('-', ' ')})` };
    // Short numbers of offices are possible too, and the beginning of a number looks like one.
    if (!found.valid && number.significant.length < mobileLength(found.regionCode ?? '') - 2)
      return { problem: 'the receptor is not a valid phone number (too short)' };
    if (receptorFormat === 'national' && found.countryCode !== countryCode)
      return { problem: `the receptor is a number of another country, and has no national form in ${country}` };
    const doubt = found.valid ? (found.typeIsMobile ? undefined : 'not a mobile number') : 'not known to be valid';
    if (mobileOnly && found.valid && !found.typeIsMobile) return { problem: 'the receptor is not a mobile number' };
    // A list has only what every reading of it takes for one number.
    const asWritten = readReceptor(reading.text).kind === 'one' ? reading.text : number.e164;
    const forms = { national: number.national.replace(/\D/g, ''), international: number.e164, 'as-written': asWritten };
    return { text: forms[receptorFormat], digits: number.e164.slice(1), doubt };
  };
}

/** Reads a receptor of 3 to 15 digits. Nothing is removed that may say which number it is. */
function readDigits(cell: string): ReturnType<ReceptorReader> {
  const reading = readReceptor(cell);
  if (reading.kind !== 'one') return { problem: problemOf(reading) };
  return { text: reading.number, digits: reading.number.replace('+', '') };
}

/** The reasons for which a text is a number where its country is known. */
const decidedByCountry: readonly NoReceptor[] = ['trunk', 'decimal', 'thousands', 'length'];

function isOfCountry(reading: Reading): boolean {
  return reading.kind === 'wrong' && decidedByCountry.includes(reading.reason);
}

/** Says why a cell is no receptor, and what to do. */
function problemOf(reading: Reading): string {
  const problem = `the receptor ${describeReading(reading)}`;
  if (reading.kind === 'several') return `${problem}: give each a row of its own`;
  const isFormat = reading.kind === 'wrong' && (reading.reason === 'trunk' || reading.reason === 'thousands');
  return isFormat ? `${problem}: prepare with a country` : problem;
}
