import type { Terminal } from './io';

const CODES = { red: 31, green: 32, yellow: 33, dim: 2 } as const;
type Color = keyof typeof CODES;

export type Paint = (color: Color, text: string) => string;

/** Returns a function that colours texts for a stream, or leaves them where the user or the stream wants no colour. */
export function painter({ isTTY }: Terminal, { NO_COLOR, TERM }: NodeJS.ProcessEnv): Paint {
  if (!isTTY || NO_COLOR || TERM === 'dumb') return (_, text) => text;
  return (color, text) => `\x1b[${CODES[color]}m${text}\x1b[0m`;
}

/** The colours of the results that `doctor` prints. */
const RESULT_COLORS: Readonly<Record<string, Color>> = { ok: 'green', failed: 'red', skipped: 'dim' };

/** Colours a result. @param padded the result with the blanks of its column */
export function paintResult(paint: Paint, padded: string): string {
  const color = RESULT_COLORS[padded.trim()];
  return color === undefined ? padded : paint(color, padded);
}
