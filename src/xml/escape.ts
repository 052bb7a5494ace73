/** With the u flag, a surrogate in a class matches a lone surrogate only. */
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/u;

/**
 * Names the first character that XML 1.0 cannot carry, not even as a reference (section 2.2): a control character, a
 * lone surrogate, U+FFFE or U+FFFF. Undefined for a text without one.
 */
export function findTextProblem(text: string): string | undefined {
  const index = text.search(FORBIDDEN);
  if (index < 0) return undefined;
  const codePoint = (text.codePointAt(index) as number).toString(16).toUpperCase().padStart(4, '0');
  return `XML 1.0 cannot carry U+${codePoint}, at index ${index}`;
}

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A parser reads a raw CR as LF (XML 1.0, section 2.11), and tab and LF in an attribute as a blank (section 3.3.3).
  '\r': '&#xD;',
  '\n': '&#xA;',
  '\t': '&#x9;',
};

/** Writes character data that a parser reads as exactly this text. It does not look for forbidden characters. */
export function escapeText(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, (character) => REFERENCES[character] as string) : text;
}

/** Writes the value of an attribute in double quotes that a parser reads as exactly this text. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\r\n\t]/g, (character) => REFERENCES[character] as string);
}
