/** Controls, line separators, and the characters that reorder the text around them. */
const ACTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text as one line that a terminal shows and does not obey: what would move the cursor, start an escape sequence or
 * reorder its surroundings becomes `\n`, `\x1b`, `\u202e`. Everything else stays, ZWNJ and direction marks included.
 */
export function visible(text: string): string {
  return text.replace(ACTIVE, (character) => SHORT[character] ?? escapeCharacter(character));
}

/** Like `visible`, with backslashes doubled, so that no two texts look the same. */
export function visibleExactly(text: string): string {
  return visible(text.replaceAll('\\', '\\\\'));
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
