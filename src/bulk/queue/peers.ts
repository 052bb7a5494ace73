import { ConfigurationError } from '../../errors';

/** The optional peer dependencies of a queue. */
export interface Peers {
  readonly bullmq: typeof import('bullmq');
  readonly redis: typeof import('redis');
}

/**
 * Loads the peers, which only a queue needs.
 *
 * @throws {ConfigurationError} that says how to install a missing package
 */
export function loadPeers(): Peers {
  const bullmq = loadOptional('bullmq', () => require('bullmq') as Peers['bullmq']);
  const redis = loadOptional('redis', () => require('redis') as Peers['redis']);
  if (bullmq && redis) return { bullmq, redis };
  const missing = [bullmq ? [] : 'bullmq', redis ? [] : 'redis'].flat();
  const are = missing.length === 1 ? 'is' : 'are';
  throw new ConfigurationError({
    message: `a queue needs bullmq and redis, and ${missing.join(' and ')} ${are} not installed: npm install bullmq redis`,
  });
}

/** Loads a package; undefined when it is not installed. */
export function loadOptional<T>(name: string, loadModule: () => T): T | undefined {
  try {
    return loadModule();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A module that the package itself does not find is another failure.
    if (code === 'MODULE_NOT_FOUND' && message.startsWith(`Cannot find module '${name}'`)) return undefined;
    throw error;
  }
}
