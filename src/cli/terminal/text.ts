import { quoteForShell } from '../../internal/shell';

/** Controls, line separators, and the characters that reorder the text around them. */
const ACTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text as one line without terminal commands: characters that move the cursor, start an escape sequence or reorder
 * their surroundings become `\n`, `\x1b`, `\u202e`. Everything else stays, ZWNJ and direction marks included.
 */
export function visible(text: string): string {
  return text.replace(ACTIVE, (character) => SHORT[character] ?? escapeCharacter(character));
}

/** Like `visible`, with backslashes doubled, so that different texts look different. */
export function visibleExactly(text: string): string {
  return visible(text.replaceAll('\\', '\\\\'));
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/**
 * Quotes an argument of a command that is printed on a terminal. For a POSIX shell, characters that a terminal would
 * act on are written in visible characters.
 */
export function quoteForTerminal(argument: string): string {
  // A shell takes the line feeds off the end of what a command prints.
  if (visible(argument) === argument || argument.endsWith('\n') || process.platform === 'win32')
    return quoteForShell(argument);
  const bytes = [...Buffer.from(argument)].map((byte) =>
    /[\w./-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`,
  );
  return `"$(printf '${bytes.join('')}')"`;
}

/** Code points that take two columns: East Asian wide and full width forms, and emoji. */
const WIDE = new RegExp(
  '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe0f\\ufe30-\\ufe6f' +
    '\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}\\p{Emoji_Presentation}]',
  'u',
);
/** Combining marks, and format characters such as ZWNJ: they take no column. */
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/gu;
const PLAIN = /^[\x20-\x7e]*$/;

/** The columns that a line of text takes in a terminal. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  // Finding clusters is slow. Only a text with an emoji needs them.
  if (!WIDE.test(text)) return [...text.replace(ZERO_WIDTH, '')].length;
  return clusters(text).reduce((width, cluster) => width + clusterWidth(cluster), 0);
}

/** Created on first use, because the segmenter's Unicode data take milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** The characters as a reader sees them: an emoji of several code points is one. */
function clusters(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function clusterWidth(cluster: string): number {
  if (WIDE.test(cluster)) return 2;
  return cluster.replace(ZERO_WIDTH, '') === '' ? 0 : 1;
}

/** Text as lines of at most `width` columns, broken after a blank where there is one. */
export function wrap(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text];
  const lines = [''];
  let used = 0;
  // A blank at the end of a word may exceed the width: it is trimmed at the end.
  const append = (part: string): void => {
    if (used > 0 && used + displayWidth(part.trimEnd()) > width) {
      lines.push('');
      used = 0;
    }
    lines[lines.length - 1] += part;
    used += displayWidth(part);
  };
  for (const word of text.split(/(?<= )/)) {
    if (displayWidth(word.trimEnd()) <= width) append(word);
    else for (const cluster of clusters(word)) append(cluster);
  }
  return lines.map((line) => line.trimEnd());
}
