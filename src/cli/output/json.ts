import { bigintReplacer } from '../../json';

/** Characters that JSON allows raw but a terminal acts on: C1 controls, line separators, direction overrides. */
const ACTIVE_IN_JSON = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Formats a value as JSON that is safe to show in a terminal. A long is a string: JSON's numbers would round it.
 *
 * @param isPretty true for several lines, as people read it; else it is one line
 */
export function formatJson(value: unknown, isPretty = false): string {
  const text = JSON.stringify(value, bigintReplacer, isPretty ? 2 : undefined);
  // These characters are inside strings only, where an escape means the same.
  return text.replace(ACTIVE_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
