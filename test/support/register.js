const { readFileSync } = require('node:fs');
const { process: compile } = require('./transform');

// Node runs the scripts of this project with it, as with ts-node, in a sixth of the time: node --require test/support/register.js
require.extensions['.ts'] = (module, path) => {
  module._compile(compile(readFileSync(path, 'utf8'), path).code, path);
};
