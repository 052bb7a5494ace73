/** Sends rows in bulk, with the journal's syncs and without, beside bare calls, and gives what a batch took, as JSON. */
import { join } from 'node:path';
import { MessagingClient } from '../../../src';
import { Bulk, openSession } from '../../../src/bulk/bulk';
import { openJournalFile } from '../../../src/bulk/journal/journal-file';
import { API_KEY, NAMESPACE, SMALL_MESSAGE } from '../data';

const [url, folder, rounds, batches] = process.argv.slice(2) as [string, string, string, string];

const fields = { sender: '3000', message: SMALL_MESSAGE, unixdate: 0n, msgmode: 1 };

/** What a batch took, in microseconds, in each round. */
interface Taken {
  readonly wall: number[];
  readonly cpu: number[];
}

async function main(): Promise<void> {
  const client = new MessagingClient({
    baseUrl: new URL(url).origin,
    namespace: NAMESPACE,
    apiKey: API_KEY,
    successStatuses: [200],
    // The answering server gives as many ids.
    defaults: { status: 1 },
  });
  const count = Number(batches);
  const taken: Record<string, Taken> = {};
  for (let round = -1; round < Number(rounds); round++) {
    for (const concurrency of [16, 64]) {
      const ways = {
        bare: () => sendBare(client, count, concurrency),
        unsynced: () => sendRows(client, count, concurrency, `${concurrency}-${round}-unsynced`, false),
        synced: () => sendRows(client, count, concurrency, `${concurrency}-${round}-synced`, true),
      };
      for (const [way, send] of Object.entries(ways)) {
        const [start, before] = [performance.now(), process.cpuUsage()];
        await send();
        const { user, system } = process.cpuUsage(before);
        // The round before the first warms up.
        if (round < 0) continue;
        taken[`${way} ${concurrency}`] ??= { wall: [], cpu: [] };
        taken[`${way} ${concurrency}`]?.wall.push((1000 * (performance.now() - start)) / count);
        taken[`${way} ${concurrency}`]?.cpu.push((user + system) / count);
      }
    }
  }
  console.log(JSON.stringify(taken));
  process.exit();
}

async function sendBare(client: MessagingClient, count: number, concurrency: number): Promise<void> {
  let left = count;
  const loop = async () => {
    while (left-- > 0) await client.sendSimple({ ...fields, receptor: [`0912${left}`] });
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
}

async function sendRows(
  client: MessagingClient,
  count: number,
  concurrency: number,
  name: string,
  isSynced: boolean,
): Promise<void> {
  const input = Array.from({ length: count }, (_, row) => ({ receptor: `0912${row}` }));
  const session = await openSession({ client, input, fields, journal: join(folder, name) }, async (path) => {
    const file = await openJournalFile(path);
    return isSynced ? file : { ...file, sync: async () => undefined };
  });
  const bulk = new Bulk(session);
  const { sent } = await bulk.run({ concurrency });
  await bulk.close();
  if (sent !== count) throw new Error(`${sent} of ${count} rows were sent`);
}

main();
