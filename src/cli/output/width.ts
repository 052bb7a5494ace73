/** Code points that take two columns: East Asian wide and full width forms, and emoji. */
const WIDE_CLASS =
  '\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f' +
  '\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}\\p{Emoji_Presentation}';
const WIDE = new RegExp(`^[${WIDE_CLASS}]|\\ufe0f`, 'u');
/** Whether code points may join or be wide; the rest, Persian included, is counted without a segmenter. */
const COMPLEX = new RegExp(`[${WIDE_CLASS}\\ufe0f]|[\\u{10000}-\\u{10ffff}]`, 'u');
/** Marks that sit on the character before, and characters that show nothing, such as ZWNJ. */
const INVISIBLE = /[\p{Mn}\p{Me}\p{Cf}]/gu;
const PLAIN = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The columns that a line of text takes in a terminal. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  if (!COMPLEX.test(text)) return text.replace(INVISIBLE, '').length;
  return clusters(text).reduce((width, cluster) => width + clusterWidth(cluster), 0);
}

/** The characters as a reader sees them: an emoji of several code points is one. */
export function clusters(text: string): string[] {
  // Made on first use: it loads Unicode data.
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function clusterWidth(cluster: string): number {
  if (WIDE.test(cluster)) return 2;
  return cluster.replace(INVISIBLE, '') === '' ? 0 : 1;
}
