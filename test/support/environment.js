const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

/** The storages that the tests of a suite, and Jest for it, have used. */
const used = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  used.add(this);
  return run.apply(this, args);
};

/**
 * Disables the storages of a suite at its end. Jest 30.5 uses one for each suite, and keeps it: Node 20 hands on the values
 * of all of them with each promise, so that a suite would take longer the more suites have run before it.
 */
module.exports = class extends TestEnvironment {
  async teardown() {
    await super.teardown();
    for (const storage of used) storage.disable();
    used.clear();
  }
};
