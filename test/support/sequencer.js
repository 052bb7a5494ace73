const { default: Sequencer } = require('@jest/test-sequencer');

/** The files that take longest. */
const SLOW =
  /[.]peers[.]|bulk\/(?:loops|next-steps|prepare-cli|walks|worlds)|cli\/(?:inbox|process|sandbox)|client\/(?:leaks|memory)|contract\/generating|docs\/pictures|inbox\/walks|package\/(?:documents|examples|package)|types\/program/;

/**
 * Starts the slow files first. Jest does so with the times of an earlier run. A fresh clone has none: Jest would order the
 * files by their size, and one core would wait while the last slow file runs on the other.
 */
module.exports = class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(({ path }) => SLOW.test(path)), ...sorted.filter(({ path }) => !SLOW.test(path))];
  }
};
