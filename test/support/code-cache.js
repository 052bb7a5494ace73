const vm = require('node:vm');

/** By file: its source, and the code that V8 has made of it. */
const kept = new Map();
/** By file: a source of this suite whose code is not kept, and its script. */
const compiled = new Map();
const { compileFunction } = vm;

/** Lets Jest compile modules with the code that was kept. */
exports.useKeptCode = () => {
  vm.compileFunction = (source, parameters, options = {}) => {
    const { filename, importModuleDynamically, parsingContext } = options;
    if (parsingContext === undefined) return compileFunction(source, parameters, options);
    const start = `(function (${parameters}) {`;
    const found = kept.get(filename);
    const cachedData = found?.source === source ? found.code : undefined;
    const script = new vm.Script(`${start}${source}\n})`, {
      ...{ filename, importModuleDynamically, cachedData },
      // Messages and maps name the columns of the source.
      columnOffset: -start.length,
    });
    // V8 rejects code that it has made with other flags. No other suite loads the file of a suite.
    const isKept = cachedData !== undefined && !script.cachedDataRejected;
    if (!isKept && !filename.endsWith('.test.ts')) compiled.set(filename, { source, script });
    return script.runInContext(parsingContext);
  };
};

/** Keeps the code of a suite at its end, because V8 compiles most functions when they are called. */
exports.keepCode = () => {
  for (const [file, { source, script }] of compiled) kept.set(file, { source, code: script.createCachedData() });
  compiled.clear();
};
