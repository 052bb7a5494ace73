const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/environment.js',
  roots: ['<rootDir>/generated', '<rootDir>/scripts', '<rootDir>/src', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/build-programs.ts',
  globalTeardown: '<rootDir>/test/support/remove-programs.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/limit-programs.ts', '<rootDir>/test/support/patience.ts'],
  resolver: '<rootDir>/test/support/resolver.js',
  testSequencer: '<rootDir>/test/support/sequencer.js',
  transform: {
    '^.+\\.ts$': '<rootDir>/test/support/transform.js',
    '/@exodus/bytes/.+\\.js$': '<rootDir>/test/support/transform.js',
  },
  transformIgnorePatterns: ['/node_modules/(?!@exodus/bytes/)'],
  // One worker more than there are cores, because tests wait for processes and sockets.
  maxWorkers: availableParallelism() + 1,
  // Ends a test that hangs. No test may fail because the machine is busy.
  testTimeout: 600_000,
  // V8 counts coverage in the code that runs anyway. Instrumented code would be several times slower.
  coverageProvider: 'v8',
  coverageDirectory: 'coverage',
  collectCoverageFrom: ['src/**/*.ts'],
  // V8 counts lines of comments too, as covered.
  coverageThreshold: { global: { lines: 90 } },
};
