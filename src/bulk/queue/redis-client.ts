import type { Peers } from './peers';

/** A client of Redis. */
export type RedisClient = ReturnType<typeof makeRedisClient>;

/** The time after which an operation without a reply has failed, in milliseconds. */
export const REPLY_MS = 10_000;

/** Makes a client that is not connected yet. @param isStarted false while a connection that fails is not made again */
export function makeRedisClient({ redis: { createClient } }: Peers, url: string, isStarted: () => boolean) {
  return createClient({
    url,
    RESP: 2,
    // An operation that fails at once is retried by `attempt`, which knows for how long.
    disableOfflineQueue: true,
    pingInterval: 2000,
    socket: {
      connectTimeout: REPLY_MS,
      // A connection that was cut without a word is made again.
      socketTimeout: REPLY_MS,
      reconnectStrategy: (retries) => (isStarted() ? Math.min(50 * 2 ** retries, 1000) : false),
    },
  });
}
