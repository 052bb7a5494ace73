const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/generated', '<rootDir>/scripts', '<rootDir>/src', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/build-programs.ts',
  globalTeardown: '<rootDir>/test/support/remove-programs.ts',
  transform: { '^.+\\.ts$': '<rootDir>/test/support/transform.js' },
  // One more than there are cores, since tests wait for processes and sockets.
  maxWorkers: availableParallelism() + 1,
  // For a test that hangs. No test is to fail because the machine is busy.
  testTimeout: 600_000,
  // V8 counts in the code that it runs anyway; instrumented code would be several times slower.
  coverageProvider: 'v8',
  coverageDirectory: 'coverage',
  collectCoverageFrom: ['src/**/*.ts'],
  // V8 counts lines of comments as well, all of them covered.
  coverageThreshold: { global: { lines: 90 } },
};
