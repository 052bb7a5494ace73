#!/usr/bin/env node
import { run } from './program';
import { invocationOf } from './shell';

const { stdout, stderr, env: environment, argv } = process;

run(argv.slice(2), { stdout, stderr, environment, signals: process, invocation: invocationOf(process) }).then(
  (code) => {
    // At once: what is still open belongs to a call that was given up, or to connections of the sandbox.
    process.exit(code);
  },
);
