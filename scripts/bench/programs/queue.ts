/** Puts rows in a queue, or takes them from it: as a worker of this package, or of BullMQ alone, which does nothing with them. */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'bullmq';
import { createClient } from 'redis';
import { optionsOfOneId, SMALL_MESSAGE } from '../data';

const [folder, url, redis, way, rows] = process.argv.slice(2) as [string, string, string, string, string];
const { MessagingClient } = require(join(folder, 'dist/src')) as typeof import('../../../src');
const { enqueueBulk, workBulk } = require(
  join(folder, 'dist/src/bulk/queue'),
) as typeof import('../../../src/bulk/queue');

const client = new MessagingClient(optionsOfOneId(url));

async function enqueue(): Promise<void> {
  const input = Array.from({ length: Number(rows) }, (_, row) => ({ receptor: `0912${row}` }));
  const fields = { sender: '3000', message: SMALL_MESSAGE, unixdate: 0n, msgmode: 1 };
  await enqueueBulk({ client, redis, input, fields, journal: join(__dirname, `queue-${process.pid}.journal`) });
}

/** Resolves when BullMQ has no job left. */
async function drain(): Promise<void> {
  const connection = createClient({ url: redis, RESP: 2 });
  await connection.connect();
  const worker = new Worker('messaging-bulk', async () => undefined, { connection, concurrency: 16, drainDelay: 1 });
  await new Promise<void>((resolve) => worker.once('drained', () => resolve()));
}

const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  enqueue,
  bullmq: drain,
  work: () => workBulk({ client, redis, untilEmpty: true, concurrency: 16 }),
};

createInterface(process.stdin).once('line', async () => {
  await ways[way]?.();
  console.log('done');
});
console.log('ready');
