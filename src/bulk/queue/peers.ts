import { ConfigurationError } from '../../errors';

/** The optional peer dependencies of a queue. */
export interface Peers {
  readonly bullmq: typeof import('bullmq');
  readonly redis: typeof import('redis');
}

/** Loads the peers of a queue. @throws {ConfigurationError} that says how to install a missing package */
export function loadPeers(): Peers {
  const problem = (name: string) =>
    `a queue needs bullmq and redis, and ${name} is not installed: npm install bullmq redis`;
  return {
    bullmq: loadOptional('bullmq', () => require('bullmq'), problem('bullmq')),
    redis: loadOptional('redis', () => require('redis'), problem('redis')),
  };
}

/** Loads a package. @throws {ConfigurationError} with the problem when it is not installed */
export function loadOptional<T>(name: string, loadModule: () => T, problem: string): T {
  try {
    return loadModule();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A module that the package itself does not find is another failure.
    const isMissing = code === 'MODULE_NOT_FOUND' && message.startsWith(`Cannot find module '${name}'`);
    throw isMissing ? new ConfigurationError({ message: problem }) : error;
  }
}
