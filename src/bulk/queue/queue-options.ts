import { checkAll } from '../options';

/** Where the queue is. */
export interface QueueOptions {
  /**
   * URL of Redis, such as `redis://127.0.0.1:6379` or `redis://:password@host`, without a query; `rediss://` is TLS. A password in it
   * is shown nowhere. A cluster is not supported.
   */
  readonly redis: string;
  /**
   * That Redis may forget what workers have done. Without it a Redis is refused that has no append-only file, leaves it to the system
   * when that reaches the disk, or may evict keys: what was sent could be sent again. Default false.
   */
  readonly acceptLoss?: boolean | undefined;
  /** Called when the connection to Redis breaks, and with other failures that are retried. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The name of BullMQ's queue when none is given. */
export const DEFAULT_QUEUE = 'messaging-bulk';

/** @throws {ConfigurationError} that names all that is wrong, and shows no URL: it may hold a password */
export function checkQueueOptions({ redis, acceptLoss = false }: QueueOptions, queue: string = DEFAULT_QUEUE): void {
  checkAll([
    [isRedisUrl(redis), 'redis: a URL such as redis://127.0.0.1:6379, without a query, is needed'],
    [typeof acceptLoss === 'boolean', 'acceptLoss: true or false is needed'],
    [typeof queue === 'string' && /^[^:\s]+$/.test(queue), 'queue: a name without colons and blanks is needed'],
  ]);
}

function isRedisUrl(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search } = new URL(text);
  // A lone percent sign could not be read as a password. ioredis takes options from a query: a password there would be shown.
  const isReadable = !/%(?![0-9a-f]{2})/i.test(`${username}:${password}`) && search === '';
  return /^rediss?:$/.test(protocol) && hostname !== '' && isReadable;
}
