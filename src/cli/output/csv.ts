/** A text that a spreadsheet would run as a formula, or read as a number. */
const FORMULA = /^[=+\-@\t\r]/;

/** Puts a `'` before a text that a spreadsheet would run as a formula. */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
