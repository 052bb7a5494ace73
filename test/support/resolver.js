const { join } = require('node:path');

/**
 * Finds the packages of a queue as the one file each that build-programs.ts makes for programs. As the hundreds of files
 * that they are, they would load for a second in each suite.
 */
module.exports = (request, options) =>
  request === 'bullmq' || request === 'redis'
    ? join(process.env.TEST_PROGRAMS, 'node_modules', request, 'index.js')
    : options.defaultResolver(request, options);
