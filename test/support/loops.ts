/** True when the long loops run in full, as they do before a release: `npm run test:loops`. */
export const isFull = process.env.MESSAGING_LOOPS === 'full';

/** The size of a loop: in full before a release, and otherwise a tenth of it. */
export function loopSize(full: number): number {
  return isFull ? full : Math.ceil(full / 10);
}
