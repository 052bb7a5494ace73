/** A text that a spreadsheet would run as a formula, or read as a number. */
const FORMULA = /^[=+\-@\t\r]/;

export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
