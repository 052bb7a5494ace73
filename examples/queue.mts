// Sends a list from many processes over Redis: `node queue.mts enqueue` once, `node queue.mts work` as often as you like,
// `node queue.mts collect` at any time. MESSAGING_REDIS_URL names the Redis, which needs an append-only file.
import { MessagingClient } from 'messaging-soap';
import { collectBulk, enqueueBulk, workBulk } from 'messaging-soap/bullmq';

const redis = process.env.MESSAGING_REDIS_URL ?? 'redis://127.0.0.1:6379';
const client = MessagingClient.fromEnv();
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
if (process.argv[2] === 'enqueue') {
  const fields = { sender: '3000', message: 'Hello {{name}}', unixdate: 0n, msgmode: 1 };
  const { counts } = await enqueueBulk({ client, redis, input: 'customers.csv', operation: 'sendSimple', fields });
  console.log(counts);
} else if (process.argv[2] === 'work') {
  const { sent, unknown } = await workBulk({ client, redis, concurrency: 16, untilEmpty: true, signal: stop.signal });
  console.log({ sent, unknown });
} else {
  const { counts } = await collectBulk({ journal: 'customers.csv.journal' });
  console.log(counts);
}
await client.close();
