import { checkAll } from '../options';

/** Where the queue is. */
export interface QueueOptions {
  /**
   * URL of Redis, such as `redis://127.0.0.1:6379`; `rediss://` is TLS. A user and a password in it are shown nowhere. A cluster
   * is not supported.
   */
  readonly redis: string;
  /**
   * That Redis may forget what workers have done. Without it a Redis is refused that has no append-only file or may evict keys: what
   * was sent could be sent again. Default false.
   */
  readonly acceptLoss?: boolean | undefined;
  /** Told when the connection to Redis breaks, and of other failures that are tried again. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The name of BullMQ's queue when none is given. */
export const DEFAULT_QUEUE = 'messaging-bulk';

/** @throws {ConfigurationError} that names all that is wrong, and shows no URL: it may hold a password */
export function checkQueueOptions({ redis, acceptLoss = false }: QueueOptions, queue: string = DEFAULT_QUEUE): void {
  checkAll([
    [isRedisUrl(redis), 'redis: a URL such as redis://127.0.0.1:6379 is needed'],
    [typeof acceptLoss === 'boolean', 'acceptLoss: true or false is needed'],
    [typeof queue === 'string' && /^[^:\s]+$/.test(queue), 'queue: a name without colons and blanks is needed'],
  ]);
}

function isRedisUrl(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, hostname, password } = new URL(text);
  // A lone percent sign could not be read as a password.
  return /^rediss?:$/.test(protocol) && hostname !== '' && !/%(?![0-9a-f]{2})/i.test(password);
}
