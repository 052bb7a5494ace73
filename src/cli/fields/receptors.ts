import { splitAtBlanks } from '../../messages/receptor';

/**
 * Splits a word that holds several receptors: at line breaks, and at blanks between parts of 8 digits and more.
 * `0912 345 6789` is one receptor, and `09123456789 09123456780` are two.
 */
export function splitReceptors(word: string): readonly string[] {
  // The shell's "$(cat file)" has no line end at its end, and $'...\n' has one.
  return word
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .flatMap(splitAtBlanks);
}
