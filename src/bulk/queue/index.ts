export { type Collected, type CollectOptions, collectBulk } from './collect';
export { type Enqueued, type EnqueueOptions, enqueueBulk } from './enqueue';
export type { QueueOptions } from './options';
export { RedisError } from './redis-error';
export { type WorkOptions, workBulk } from './worker';
