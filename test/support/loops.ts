/** True when the long loops run in full, as they do before a release: `npm run test:loops`. */
export const isFull = process.env.MESSAGING_LOOPS === 'full';

/** A test that runs with the long loops only. Jest counts it as skipped otherwise. */
export const testInFull = isFull ? test : test.skip;

/** Tests each row of a long table. Unless the loops run in full, it tests every fifth, and Jest counts the others as skipped. */
export function testRows<Row extends unknown[]>(
  rows: readonly (readonly [...Row])[],
  title: string,
  check: (...row: Row) => unknown,
): void {
  const runs = (_: unknown, index: number) => isFull || index % 5 === 0;
  const skipped = rows.filter((row, index) => !runs(row, index));
  test.each(rows.filter(runs))(title, check as never);
  if (skipped.length > 0) test.skip.each(skipped)(title, check as never);
}

/** The distance between the places of a text at which a test cuts it: each byte in full. */
export const placeStep = isFull ? 1 : 7;

/** The size of a loop that has this size in full: all of it, or a fiftieth while somebody waits for the tests. */
export function loopSize(full: number): number {
  return isFull ? full : Math.ceil(full / 50);
}

/** The number of inputs that a fuzz test tries. */
export const FUZZ_RUNS = loopSize(20_000);
