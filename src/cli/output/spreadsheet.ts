/** The beginning of a file by which a spreadsheet program knows UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';

/** A number that a spreadsheet program keeps: of at most 11 digits, without a leading zero or a zero at its end. */
const KEPT_NUMBER = /^(?:0|[1-9]\d{0,10})(?:\.\d{0,4}[1-9])?$/;
/**
 * Matches a value that a spreadsheet program may read as a formula, another number, a date or a time: to it, `(5)` is
 * -5, and `$5` and `.5` are numbers.
 */
const MAY_CHANGE =
  /^[\s(\p{Sc}]*(?:[=+\-@]|\.?\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[\s.-]+\d|(?:true|false)\s*$)/iu;
/** A spreadsheet program takes no longer text in a formula. */
const FORMULA_TEXT = 250;

/** Writes a value as a formula of the text itself, where a spreadsheet program would change the value. */
export function protectCell(value: string): string {
  if (!MAY_CHANGE.test(value) || KEPT_NUMBER.test(value)) return value;
  const parts = value.match(new RegExp(`.{1,${FORMULA_TEXT}}`, 'gsu')) ?? [];
  return `=${parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('&')}`;
}
