/** Reads a list as a stream, and prints how much memory it took, as JSON. */
import { join } from 'node:path';
import { API_KEY, idAt, NAMESPACE, type SoapVersion } from '../data';
import { LIST_BLOCK } from './responses';

const [folder, url, soapVersion, total] = process.argv.slice(2) as [string, string, SoapVersion, string];
const { MessagingClient } = require(join(folder, 'dist/src')) as typeof import('../../../src');

/** The number of records between two measurements of the memory. */
const INTERVAL = 10_000;

async function main(): Promise<void> {
  const client = new MessagingClient({
    baseUrl: new URL(url).origin,
    namespace: NAMESPACE,
    apiKey: API_KEY,
    successStatuses: [200],
    soapVersion,
    timeoutMs: 0,
    maxResponseBytes: Number.MAX_SAFE_INTEGER,
  });
  const size = Number(total);
  const memory: number[] = [];
  let count = 0;
  let wrong = 0;
  for await (const record of client.selectLatestStream({ pagesize: size, status: size })) {
    if (record.messageid !== idAt(count % LIST_BLOCK)) wrong++;
    count++;
    if (count % INTERVAL === 0) memory.push(process.memoryUsage.rss() / 1024 / 1024);
  }
  console.log(JSON.stringify({ count, wrong, memory }));
}

main();
