/** Each of these is a separator of lists in some language. A word with one of them is not split: its user is told. */
export const SEPARATOR = /[,;،؛]/;

/** The fewest digits of a part that is a receptor of its own. */
const FEWEST_DIGITS = 8;

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

function splitAtBlanks(line: string): readonly string[] {
  if (SEPARATOR.test(line)) return [line];
  const receptors: string[] = [];
  let last = 0;
  for (const part of line.split(/(?<=\S)(?=\s+\S)/)) {
    const digits = countDigits(part);
    if (receptors.length > 0 && Math.min(last, digits) < FEWEST_DIGITS) receptors[receptors.length - 1] += part;
    else receptors.push(part);
    last = digits;
  }
  return receptors.length > 1 ? receptors.map((receptor) => receptor.trim()) : receptors;
}

/** The number of digits of any script. */
export function countDigits(text: string): number {
  return text.replace(/\P{Nd}/gu, '').length;
}
