const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');
const { keepCode, useKeptCode } = require('./code-cache');

/** The storages that the tests of a suite, and Jest for it, have used. */
const used = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  used.add(this);
  return run.apply(this, args);
};

/** Lets a worker do for a suite what all suites have in common only once, and forget at its end what only it needs. */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    // Jest 30.5 compiles each module anew for each suite, which takes a sixth of the time of all tests. V8 counts coverage
    // only in code that it compiles.
    if (!config.globalConfig.collectCoverage) useKeptCode();
  }

  async teardown() {
    await super.teardown();
    // Jest 30.5 uses one storage for each suite, and keeps it: Node 20 hands on the values of all of them with each promise,
    // so that a suite would take longer the more suites have run before it.
    for (const storage of used) storage.disable();
    used.clear();
    keepCode();
  }
};
