import { trueOrFalse } from '../../internal/option-checks';
import { refuseValue } from '../../internal/option-table';
import { resolveOwn } from '../options';

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

/** @throws {ConfigurationError} that names every wrong option, and shows no URL: a URL may hold a password */
export function checkQueueOptions(options: QueueOptions, queue: string = DEFAULT_QUEUE): void {
  resolveOwn(queueOptions, { ...options, queue });
}

const queueOptions = {
  redis: {
    read: (url: unknown) =>
      isRedisUrl(url) ? url : refuseValue('a URL such as redis://127.0.0.1:6379, without a query, is needed'),
    required: true,
  },
  acceptLoss: { read: trueOrFalse, default: false },
  queue: {
    read: (name: unknown) =>
      typeof name === 'string' && /^[^:\s]+$/.test(name)
        ? name
        : refuseValue('a name without colons and blanks is needed'),
    required: true,
  },
} as const;

function isRedisUrl(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search } = new URL(text);
  // A lone percent sign could not be read as a password. ioredis takes options from a query: a password there would be shown.
  const isReadable = !/%(?![0-9a-f]{2})/i.test(`${username}:${password}`) && search === '';
  return /^rediss?:$/.test(protocol) && hostname !== '' && isReadable;
}
