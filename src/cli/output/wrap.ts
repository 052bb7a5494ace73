import { clusters, displayWidth } from './width';

/** Text as lines of at most `width` columns, broken after a blank where there is one. */
export function wrap(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text];
  const lines = [''];
  let used = 0;
  // A blank at the end of a word may hang over the edge: nobody sees it.
  const append = (part: string, size = displayWidth(part.trimEnd())): void => {
    if (used > 0 && used + size > width) {
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
