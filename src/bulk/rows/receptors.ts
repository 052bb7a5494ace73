import { open } from 'node:fs/promises';
import { ConfigurationError } from '../../errors';
import { toAsciiDigits } from './likeness';

/** The number of last digits that identify a phone number, however its country and its area are written. */
const DIGITS = 9;

/** A key that is equal for receptors which differ only in writing: `+98 912 000 0001` and `09120000001`. */
export function receptorKey(receptor: string): string {
  const digits = toAsciiDigits(receptor).replace(/[^\p{L}\p{N}]/gu, '');
  return /^\d+$/.test(digits) ? digits.slice(-DIGITS) : receptor.trim();
}

/** True for a receptor of digits, with a plus sign before them or without. */
export function isPlainReceptor(receptor: string): boolean {
  return /^\+?\d+$/.test(receptor);
}

/** Reads receptors from a file with one on each line. Resolves with their keys. @throws {ConfigurationError} */
export async function readReceptorKeys(path: string): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  try {
    const file = await open(path);
    for await (const line of file.readLines()) {
      const receptor = line.replace(/^\ufeff/, '').trim();
      if (receptor !== '') keys.add(receptorKey(receptor));
    }
  } catch (error) {
    throw new ConfigurationError({ problems: [{ option: 'exclude', message: (error as Error).message }] });
  }
  return keys;
}
