/** True when the long loops run in full, as they do before a release: `npm run test:loops`. */
export const isFull = process.env.MESSAGING_LOOPS === 'full';

/** The part of a long loop that runs: a tenth in CI, and a fiftieth while somebody waits for `npm test`. */
const DIVISOR = isFull ? 1 : process.env.CI ? 10 : 50;

/** The rows of a long table of similar cases that run: each in CI, and every fifth in `npm test`. */
export function tableRows<T>(rows: readonly T[]): readonly T[] {
  return rows.filter((_, index) => DIVISOR <= 10 || index % 5 === 0);
}

/** The size of a loop that has this size in full. */
export function loopSize(full: number): number {
  return Math.ceil(full / DIVISOR);
}
