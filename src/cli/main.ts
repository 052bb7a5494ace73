import { setFlagsFromString } from 'node:v8';
import { run } from './program';
import { type Io, invocationOf } from './terminal/io';

// undici reads HTTP with WebAssembly. Optimizing it costs more than a call, and pays only after thousands of calls.
setFlagsFromString('--wasm-tiering-budget=1000000000');

const { stdout, stderr, env: environment, argv } = process;
const io: Io = {
  // A getter: opening stdin costs time, and few calls read it.
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  environment,
  signals: process,
  invocation: invocationOf(process),
};

run(argv.slice(2), io).then((code) => {
  // Connections of an aborted call, or of the sandbox, would keep the process alive.
  process.exit(code);
});
