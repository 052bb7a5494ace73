/** The parts of a message in which a mistake is likely to cost money. */
export type CheckedPart = 'message' | 'receptor';

/**
 * Says what is wrong with a text or a receptor that almost nobody means to send; undefined for any other. The contract
 * does not define what a service does with it, and some services charge for it.
 */
export function mistakeIn(part: CheckedPart, value: string): string | undefined {
  if (part === 'message') return value === '' ? 'it is empty' : undefined;
  if (value.trim() === '') return 'it is empty';
  return /\p{Nd}/u.test(value) ? undefined : `${JSON.stringify(value)} has no digit`;
}

export function isCheckedPart(name: string): name is CheckedPart {
  return name === 'message' || name === 'receptor';
}
