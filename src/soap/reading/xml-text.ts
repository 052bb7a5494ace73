/** How text is read where both readers must agree to the letter. */

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * The text with its references resolved, or undefined if one of them is none: an unknown name, or a number outside Unicode.
 * A number that XML 1.0 forbids gives that character, because ASP.NET services write such and one character must not
 * cost a received message; a surrogate, which no text can hold alone, gives U+FFFD.
 */
export function resolveReferences(text: string): string | undefined {
  let valid = true;
  const resolved = text.replace(/&([^;&]*);?/g, (reference, name: string) => {
    const value = reference.endsWith(';') ? resolveReference(name) : undefined;
    if (value === undefined) valid = false;
    return value ?? '';
  });
  return valid ? resolved : undefined;
}

/** The character that `&name;` stands for, or undefined. */
export function resolveReference(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(name) ?? [];
  if (hex === undefined && decimal === undefined) return Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  const codePoint = hex === undefined ? Number.parseInt(decimal as string, 10) : Number.parseInt(hex, 16);
  if (codePoint > 0x10ffff) return undefined;
  return codePoint >= 0xd800 && codePoint <= 0xdfff ? '\ufffd' : String.fromCodePoint(codePoint);
}

/** CR and CRLF read as LF (XML 1.0, section 2.11). */
export function normalizeLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
