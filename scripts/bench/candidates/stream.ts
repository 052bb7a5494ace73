/** Reads a list through this package's stream, checks every id, and gives the process's memory over time, as JSON. */
import { MessagingClient } from '../../../src';
import { LIST_BLOCK } from '../bodies';
import { API_KEY, idAt, NAMESPACE } from '../data';

const [url, version, total] = process.argv.slice(2) as [string, '1.1' | '1.2', string];

/** Records between two looks at the memory. */
const INTERVAL = 10_000;

async function main(): Promise<void> {
  const client = new MessagingClient({
    baseUrl: new URL(url).origin,
    namespace: NAMESPACE,
    apiKey: API_KEY,
    successStatuses: [200],
    soapVersion: version,
    timeoutMs: 0,
    maxResponseBytes: Number.MAX_SAFE_INTEGER,
  });
  const size = Number(total);
  const samples: { records: number; rss: number; heapUsed: number }[] = [];
  let count = 0;
  let wrong = 0;
  for await (const record of client.selectLatestStream({ pagesize: size, status: size })) {
    if (record.messageid !== idAt(count % LIST_BLOCK)) wrong++;
    count++;
    if (count % INTERVAL !== 0) continue;
    const { rss, heapUsed } = process.memoryUsage();
    samples.push({ records: count, rss, heapUsed });
  }
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ count, wrong, samples, cpu: user + system }));
  process.exit();
}

main();
