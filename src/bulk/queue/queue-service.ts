import { isSameBaseUrl } from '../../options/checks';
import { wrongOption } from '../../options/table';
import type { RedisConnection } from './redis';

/** The service to which the rows of a queue go; undefined when a program sends them without naming it. */
export type QueueService = { readonly baseUrl: string; readonly namespace: string } | undefined;

/** Reads the service of a queue. With a service, it is recorded first if the queue has none. */
const BIND = `
if ARGV[1] and redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'baseUrl', ARGV[1], 'namespace', ARGV[2])
end
return redis.call('HMGET', KEYS[1], 'baseUrl', 'namespace')`;

/**
 * Binds a queue to the service of the first rows that are put in it: a worker sends all rows of its queue to one
 * service.
 *
 * @throws {ConfigurationError} when it is bound to another service
 */
export async function bindQueue(connection: RedisConnection, queue: string, service: QueueService): Promise<void> {
  if (service) refuseOther(queue, service, await evaluate(connection, queue, [service.baseUrl, service.namespace]));
}

/** Compares the service of a worker with that of its queue. @throws {ConfigurationError} when it is another one */
export async function checkQueue(connection: RedisConnection, queue: string, service: QueueService): Promise<void> {
  refuseOther(queue, service, await evaluate(connection, queue, []));
}

/** @throws {ConfigurationError} when rows of one service would go to another one */
export function refuseOther(queue: string, service: QueueService, other: QueueService): void {
  if (!service || !other) return;
  if (isSameBaseUrl(service.baseUrl, other.baseUrl) && service.namespace === other.namespace) return;
  const words = ({ baseUrl, namespace }: NonNullable<QueueService>) => `${baseUrl} (namespace ${namespace})`;
  throw wrongOption(
    'queue',
    `${queue} has rows for ${words(other)}, and not for ${words(service)}: name another queue`,
  );
}

/** The service of a list, or of a client. */
export function serviceOf({
  baseUrl,
  namespace,
}: { readonly [K in 'baseUrl' | 'namespace']?: string | undefined }): QueueService {
  return baseUrl === undefined || namespace === undefined ? undefined : { baseUrl, namespace };
}

async function evaluate(connection: RedisConnection, queue: string, args: readonly string[]): Promise<QueueService> {
  const keys = [`messaging-bulk:queue:${queue}`];
  const read = () => connection.redis.eval(BIND, { keys, arguments: [...args] });
  const [baseUrl, namespace] = (await connection.attempt(read)) as (string | null)[];
  return serviceOf({ baseUrl: baseUrl ?? undefined, namespace: namespace ?? undefined });
}
