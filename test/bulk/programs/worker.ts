import { writeSync } from 'node:fs';
import { Worker } from 'bullmq';
import { createClient } from 'redis';
import { MessagingClient } from '../../../src';
import { Claims } from '../../../src/bulk/queue/claims';
import { type JobData, readJob } from '../../../src/bulk/queue/job';
import { workWhenReady } from '../../../src/bulk/queue/worker';
import { sendBatch } from '../../../src/bulk/sending/send-batch';
import { CallClock } from '../../../src/client/clock';
import type { WorkerProgramOptions } from '../queue-support';

/** Less than the time for which a test stops a worker. */
const LATE_MS = 200;

/** Sends what is in a queue until SIGTERM, rightly or with the defect that the tests must notice. */
async function main(options: WorkerProgramOptions): Promise<void> {
  const { redis, queue, baseUrl, concurrency = 8, untilEmpty, stop, defect } = options;
  const client = new MessagingClient({
    baseUrl,
    namespace: 'http://messaging.example/',
    apiKey: 'sandbox-key',
    successStatuses: [200],
  });
  if (stop) stopAtClaim(stop);
  tellLateRequests();
  const tellReady = () => void process.stdout.write('working\n');
  if (defect) {
    tellReady();
    workWithoutClaims(client, options);
    return;
  }
  const controller = new AbortController();
  process.once('SIGTERM', () => controller.abort());
  const { signal } = controller;
  const own = { redis, queue, concurrency, stopAfterFailures: 0, untilEmpty, signal };
  const counts = await workWhenReady({ client, ...own }, tellReady);
  await client.close();
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}

/** No program can look at the clock and write in one step. */
function tellLateRequests(): void {
  const { onRequestStart } = CallClock.prototype;
  CallClock.prototype.onRequestStart = function (this: CallClock) {
    onRequestStart.call(this);
    const lookedAt = performance.now();
    // The request is written before that.
    process.nextTick(() => performance.now() - lookedAt < LATE_MS || writeSync(1, 'late\n'));
  };
}

function stopAtClaim({ when, count }: NonNullable<WorkerProgramOptions['stop']>): void {
  const { claim } = Claims.prototype;
  let claims = 0;
  const halt = () => {
    writeSync(1, 'stopped\n');
    process.kill(process.pid, 'SIGSTOP');
  };
  Claims.prototype.claim = async function (this: Claims, ...args): ReturnType<typeof claim> {
    claims += 1;
    const isHere = claims === count;
    if (isHere && when === 'before the claim') halt();
    const result = await claim.apply(this, args);
    if (isHere && when === 'after the claim') halt();
    return result;
  };
}

/** BullMQ's own default: a job whose worker died is run again. */
function workWithoutClaims(client: MessagingClient, { redis, queue, concurrency = 8 }: WorkerProgramOptions): void {
  const connection = createClient({ url: redis, RESP: 2 });
  connection.on('error', () => undefined);
  const send = async ({ data }: { data: JobData }) => {
    const { operation, rows, startWithinMs } = readJob(data);
    await sendBatch(client, operation, rows, () => startWithinMs);
  };
  const times = { lockDuration: 200, stalledInterval: 100, maxStalledCount: 1 };
  new Worker<JobData>(queue, send, { connection, concurrency, ...times }).on('error', () => undefined);
}

main(JSON.parse(process.argv[2] as string)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
