import type { Signal } from '../../internal/signals';
import { trueOrFalse, unchecked, wholeNumber } from '../../options/checks';
import { type FlagTable, type GivenOptions, type ResolvedOptions, refuseValue } from '../../options/table';

/** The options of a command that uses Redis. No message shows the URL, because it may contain a password. */
export const redisOptions = {
  /**
   * The URL of Redis, such as `redis://127.0.0.1:6379` or `redis://:password@host`, without a query; `rediss://` is
   * TLS. No message shows a password in it. A cluster is not supported.
   */
  redis: {
    read: readRedisUrl,
    required: true,
    flag: {
      value: 'url',
      help: 'use the queue in this Redis, such as redis://127.0.0.1:6379',
      isText: true,
      variable: 'MESSAGING_REDIS_URL',
    },
  },
  /**
   * Uses a Redis that may lose what workers have done. It is refused by default, because rows could be sent twice: a
   * Redis without an append-only file, one that leaves syncing it to the system, one that does not sync it while it
   * rewrites it, one that may evict keys, and one that hides its settings. Default false.
   */
  acceptLoss: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'use a Redis that may lose data; rows may then be sent twice' },
  },
  /**
   * The number of replicas that must have a claim before it counts. So a failover to one of them forgets no claim. Give
   * all commands of a list the same number. Default 0.
   */
  replicas: {
    read: wholeNumber(0),
    default: 0,
    flag: { value: 'n', help: 'count a claim only once this many replicas of Redis have it' },
  },
  /** The time for which operations are tried again while Redis cannot be reached, in milliseconds. Default 60,000. */
  redisTimeoutMs: { read: wholeNumber(1), default: 60_000 },
  /** Called when the connection to Redis breaks, and with other failures that are retried. */
  onWarning: unchecked<(message: string) => void>(),
} as const satisfies FlagTable;

/** The Redis that has a queue. */
export interface QueueOptions extends GivenOptions<typeof redisOptions> {}

/** How a connection to Redis is used. */
export interface ConnectionOptions extends ResolvedOptions<typeof redisOptions> {
  /** Leaves operations only a few seconds from its abort on. */
  readonly signal?: Signal | undefined;
}

export const queueOption = {
  /** The name of the queue in BullMQ. All commands must use the same name. Default `messaging-bulk`. */
  queue: {
    read: readQueueName,
    default: 'messaging-bulk',
    flag: { value: 'name', help: 'use this queue', isText: true },
  },
} as const satisfies FlagTable;

/** The options of a command that names its queue. */
export const queueOptions = { ...redisOptions, ...queueOption } as const;

/** The URL of a Redis without user and password: a user without a password may be a password in the wrong place. */
export function withoutPassword(redis: string): { readonly redis: string; readonly hasPassword: boolean } {
  const { protocol, host, pathname, username, password } = new URL(redis);
  // Database 0 is the usual one.
  const database = pathname.replace(/^\/0?$/, '');
  return { redis: `${protocol}//${host}${database}`, hasPassword: username + password !== '' };
}

function readQueueName(value: unknown): string {
  const isName = typeof value === 'string' && /^[^:\s]+$/.test(value);
  return isName ? value : refuseValue('a name without colons and blanks is needed');
}

function readRedisUrl(value: unknown): string {
  if (typeof value === 'string' && URL.canParse(value)) {
    const { protocol, hostname, username, password, pathname, search } = new URL(value);
    // A lone percent sign could not be read as a password. A password in a query would be shown.
    const isReadable = !/%(?![0-9a-f]{2})/i.test(`${username}:${password}`) && search === '';
    if (/^rediss?:$/.test(protocol) && hostname !== '' && /^(\/\d*)?$/.test(pathname) && isReadable) return value;
  }
  return refuseValue('a URL such as redis://127.0.0.1:6379, without a query, is needed');
}
