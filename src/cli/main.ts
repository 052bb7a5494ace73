#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { run } from './program';
import { invocationOf } from './shell';

// undici reads HTTP with WebAssembly. Optimizing that code costs more than a whole call and pays only after thousands of calls.
setFlagsFromString('--wasm-tiering-budget=1000000000');

const { stdout, stderr, env: environment, argv } = process;

run(argv.slice(2), { stdout, stderr, environment, signals: process, invocation: invocationOf(process) }).then(
  (code) => {
    // At once: what is still open belongs to a call that was given up, or to connections of the sandbox.
    process.exit(code);
  },
);
