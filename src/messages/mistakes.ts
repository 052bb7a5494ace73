import { describeReading, readReceptor } from './receptor';

/** The parts of a message in which a mistake is likely to cost money. */
type CheckedPart = 'message' | 'receptor';

/**
 * Describes the mistake in a text or a receptor; undefined for a usual one. The contract does not define what a service
 * does with such a message, and some services charge for it.
 */
export function mistakeIn(part: CheckedPart, value: string): string | undefined {
  if (isDamaged(value)) return DAMAGED;
  if (value.trim() === '') return part === 'receptor' || value === '' ? 'it is empty' : undefined;
  const mistake = part === 'receptor' ? describeReading(readReceptor(value)) : undefined;
  return mistake === undefined ? undefined : `${JSON.stringify(value)} ${mistake}`;
}

export function isCheckedPart(name: string): name is CheckedPart {
  return name === 'message' || name === 'receptor';
}

/** True for a text that has U+FFFD: programs write it in place of bytes that they cannot read. */
export function isDamaged(text: string): boolean {
  return text.includes('\ufffd');
}

export const DAMAGED = 'it has U+FFFD in place of bytes that are not UTF-8';
