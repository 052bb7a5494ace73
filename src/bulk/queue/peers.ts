import { ConfigurationError } from '../../errors';

/** Loads the optional peers of a queue. @throws {ConfigurationError} that says how to install a missing package */
export function loadPeers() {
  const problem = (name: string) =>
    `a queue needs bullmq and redis, and ${name} is not installed: npm install bullmq redis`;
  return {
    bullmq: loadOptional<typeof import('bullmq')>('bullmq', problem('bullmq')),
    redis: loadOptional<typeof import('redis')>('redis', problem('redis')),
  };
}

/** Loads a package. @throws {ConfigurationError} with the problem when it is not installed */
export function loadOptional<T>(name: string, problem: string): T {
  try {
    return require(name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A module that the package itself does not find is another failure.
    const isMissing = code === 'MODULE_NOT_FOUND' && message.startsWith(`Cannot find module '${name}'`);
    throw isMissing ? new ConfigurationError({ message: problem }) : error;
  }
}
