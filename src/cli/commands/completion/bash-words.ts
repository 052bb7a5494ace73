/**
 * Joins the words of bash's COMP_WORDS, where `=` and `:` are words of their own: `--output`, `=`, `c` are one word of the command.
 *
 * @returns the words of the command, and the number of characters of the last word that bash has already
 */
export function bashWords(parts: readonly string[]): { readonly words: readonly string[]; readonly cut: number } {
  const words: string[] = [];
  let cut = 0;
  let joins = false;
  for (const part of parts) {
    const isBreak = /^[=:]+$/.test(part);
    const last = words.length - 1;
    if ((isBreak || joins) && last >= 0) {
      cut = (words[last] as string).length + (isBreak ? part.length : 0);
      words[last] += part;
    } else {
      cut = 0;
      words.push(part);
    }
    joins = isBreak;
  }
  return { words, cut };
}
