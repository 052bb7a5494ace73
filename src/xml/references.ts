const NAMED: Readonly<Record<string, number>> = { lt: 0x3c, gt: 0x3e, amp: 0x26, quot: 0x22, apos: 0x27 };

/** Resolves the references in a whole text, or returns undefined when one of them is unknown. */
export function resolveReferences(text: string): string | undefined {
  let isKnown = true;
  // The part of a reference without its semicolon is unknown as well.
  const resolved = text.replace(/&([^;]*);?/g, (reference: string, name: string) => {
    const character = reference.endsWith(';') ? resolveReference(name) : undefined;
    isKnown &&= character !== undefined;
    return character ?? '';
  });
  return isKnown ? toWellFormed(resolved) : undefined;
}

/**
 * Returns the character that the reference `&name;` means, or undefined for an unknown name. It may be half a surrogate
 * pair: services that write UTF-16 unit by unit write an emoji as two references. `toWellFormed` ends the whole text.
 */
export function resolveReference(name: string): string | undefined {
  const codePoint = codePointOf(name);
  return codePoint === undefined ? undefined : String.fromCodePoint(codePoint);
}

/** Replaces each surrogate that is not half of a pair by U+FFFD, because no text can contain it alone. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}

/**
 * Returns the code point that the reference `&name;` means, or undefined for an unknown name or a number outside
 * Unicode. A number that XML 1.0 forbids means this character all the same, because ASP.NET services write such
 * references, and one character must not cost a received message.
 */
function codePointOf(name: string): number | undefined {
  if (!name.startsWith('#')) return Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  const hex = name.startsWith('#x');
  if (!(hex ? /^#x[0-9a-fA-F]+$/ : /^#[0-9]+$/).test(name)) return undefined;
  const codePoint = Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10);
  return codePoint > 0x10ffff ? undefined : codePoint;
}

/** Turns CR and CRLF into LF, as XML requires (XML 1.0, section 2.11). */
export function normalizeLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
