/** True when the long loops run in full, as they do before a release: `npm run test:loops`. */
export const isFull = process.env.MESSAGING_LOOPS === 'full';

/** The part of a long loop that runs: a tenth in CI, and a fiftieth while somebody waits for `npm test`. */
const DIVISOR = isFull ? 1 : process.env.CI ? 10 : 50;

/** Tests each row of a long table in CI. `npm test` tests every fifth, and Jest counts the others as skipped. */
export function testRows<Row extends unknown[]>(
  rows: readonly (readonly [...Row])[],
  title: string,
  check: (...row: Row) => unknown,
): void {
  const runs = (_: unknown, index: number) => DIVISOR <= 10 || index % 5 === 0;
  const skipped = rows.filter((row, index) => !runs(row, index));
  test.each(rows.filter(runs))(title, check as never);
  if (skipped.length > 0) test.skip.each(skipped)(title, check as never);
}

/** The size of a loop that has this size in full. */
export function loopSize(full: number): number {
  return Math.ceil(full / DIVISOR);
}
