/** Allowed raw in JSON, but not in a terminal: C1 controls, line separators, and what reorders text. */
const ACTIVE = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A value as one line of JSON, safe to show in a terminal. A long is a string: JSON's numbers would round it. */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? item.toString() : item));
  // They stand inside strings only, where an escape means the same.
  return text.replace(ACTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
