import { Service } from '../../client/options/service';
import { wrongOption } from '../../options/table';
import { checkRate } from '../options';
import type { RedisConnection } from './redis';

/**
 * Reads the service of a queue, and the rows of its largest batch. With rows, these are recorded first if they are
 * more; with a service, this is recorded first if the queue has none.
 */
const BIND = `
if ARGV[2] and redis.call('HEXISTS', KEYS[1], 'baseUrl') == 0 then
  redis.call('HSET', KEYS[1], 'baseUrl', ARGV[2], 'namespace', ARGV[3])
end
if ARGV[1] and tonumber(ARGV[1]) > tonumber(redis.call('HGET', KEYS[1], 'rows') or 0) then
  redis.call('HSET', KEYS[1], 'rows', ARGV[1])
end
return redis.call('HMGET', KEYS[1], 'baseUrl', 'namespace', 'rows')`;

/**
 * Binds a queue to the service of the first rows that are put in it: a worker sends all rows of its queue to one
 * service.
 *
 * @param batchSize the greatest number of rows that share a request
 * @throws {ConfigurationError} when it is bound to another service
 */
export async function bindQueue(
  connection: RedisConnection,
  queue: string,
  service: Service,
  batchSize: number,
): Promise<void> {
  const { baseUrl, namespace } = service;
  // A queue is bound to a service that is known whole.
  const own = baseUrl === undefined || namespace === undefined ? [] : [baseUrl, namespace];
  refuseOther(queue, service, (await evaluate(connection, queue, [String(batchSize), ...own])).service);
}

/**
 * Compares a worker with its queue.
 *
 * @throws {ConfigurationError} when the queue has another service, or had a batch with more rows than may start in a
 * second
 */
export async function checkQueue(
  connection: RedisConnection,
  queue: string,
  { service, rowsPerSecond }: { readonly service: Service; readonly rowsPerSecond: number },
): Promise<void> {
  const known = await evaluate(connection, queue, []);
  refuseOther(queue, service, known.service);
  checkRate(rowsPerSecond, known.rows);
}

/** @throws {ConfigurationError} when rows of one service would go to another one */
export function refuseOther(queue: string, service: Service, other: Service): void {
  if (service.isSame(other)) return;
  throw wrongOption('queue', `${queue} has rows for ${other}, and not for ${service}: name another queue`);
}

async function evaluate(connection: RedisConnection, queue: string, args: readonly string[]) {
  const keys = [`messaging-bulk:queue:${queue}`];
  const read = () => connection.redis.eval(BIND, { keys, arguments: [...args] });
  const [baseUrl, namespace, rows] = (await connection.attempt(read)) as (string | null)[];
  return {
    service: new Service({ baseUrl: baseUrl ?? undefined, namespace: namespace ?? undefined }),
    rows: Number(rows ?? 0),
  };
}
