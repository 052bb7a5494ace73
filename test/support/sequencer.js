const { default: Sequencer } = require('@jest/test-sequencer');

/** The files that take up to half an hour where loops run in full. */
const LONGEST = /bulk\/(?:queue-decisions|queue-loops|walks|worlds)|client\/memory/;

/** The files that take longest in a push. */
const SLOW =
  /[.]peers[.]|bulk\/(?:loops|next-steps|prepare-cli)|cli\/(?:inbox|process|sandbox)|client\/leaks|contract\/generating|docs\/pictures|inbox\/walks|package\/(?:documents|examples|package)|types\/program/;

/**
 * Starts the slow files first. Jest does so with the times of an earlier run. A fresh clone has none: Jest would order the
 * files by their size, and one core would wait while the last slow file runs on the other.
 */
module.exports = class SlowFirst extends Sequencer {
  sort(tests) {
    const turn = ({ path }) => (LONGEST.test(path) ? 0 : SLOW.test(path) ? 1 : 2);
    return super.sort(tests).sort((one, other) => turn(one) - turn(other));
  }
};
