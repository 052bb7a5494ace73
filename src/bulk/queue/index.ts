export { type CollectOptions, collectBulk } from './collect';
export type { Collected } from './collected';
export { type EnqueueOptions, enqueueBulk } from './enqueue';
export type { QueueOptions } from './queue-options';
export { RedisError } from './redis-error';
export { type WorkOptions, workBulk } from './work';
