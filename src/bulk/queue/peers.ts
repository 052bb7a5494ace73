import { ConfigurationError } from '../../errors';

/** The optional peer dependencies. */
export interface Peers {
  readonly bullmq: typeof import('bullmq');
  readonly ioredis: typeof import('ioredis');
}

/** Loads the peers, which only a queue needs. @throws {ConfigurationError} that says how to install a missing package */
export function loadPeers(): Peers {
  const bullmq = load('bullmq', () => require('bullmq') as Peers['bullmq']);
  const ioredis = load('ioredis', () => require('ioredis') as Peers['ioredis']);
  if (bullmq && ioredis) return { bullmq, ioredis };
  const missing = [bullmq ? [] : 'bullmq', ioredis ? [] : 'ioredis'].flat();
  const are = missing.length === 1 ? 'is' : 'are';
  throw new ConfigurationError({
    message: `a queue needs bullmq and ioredis, and ${missing.join(' and ')} ${are} not installed: npm install bullmq ioredis`,
  });
}

function load<T>(name: string, loadModule: () => T): T | undefined {
  try {
    return loadModule();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A module that the package itself does not find is another failure.
    if (code === 'MODULE_NOT_FOUND' && message.startsWith(`Cannot find module '${name}'`)) return undefined;
    throw error;
  }
}
