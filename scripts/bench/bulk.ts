import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { MessagingClient } from '../../src';
import { Bulk, openSession } from '../../src/bulk/bulk';
import { type JournalFile, openJournalFile } from '../../src/bulk/journal/journal-file';
import { startSandbox } from '../../src/sandbox';

/** What a trial reached, in batches a second. */
const trial = { 16: { synced: 1305, unsynced: 2229 }, 64: { synced: 2503, unsynced: 2645 } } as const;
const CALLS = 4000;
const fields = { sender: '3000', message: 'hello', unixdate: 0n, msgmode: 1 };

/** Batches a second with the journal on the disk, without its syncs, and without a journal, beside each other. */
async function main(): Promise<void> {
  const sandbox = await startSandbox();
  const client = new MessagingClient(sandbox.clientOptions);
  const folder = mkdtempSync(join(tmpdir(), 'messaging-bench-'));
  console.log(
    '| at once | bare calls/s | with journal, no sync | with journal and sync | trial, no sync | trial, sync |',
  );
  console.log('|--:|--:|--:|--:|--:|--:|');
  try {
    await sendBare(client, 16);
    for (const concurrency of [16, 64] as const) {
      const bare = await rateOf(() => sendBare(client, concurrency));
      const unsynced = await rateOf(() =>
        sendRows(client, concurrency, join(folder, `${concurrency}-unsynced`), false),
      );
      const synced = await rateOf(() => sendRows(client, concurrency, join(folder, `${concurrency}-synced`), true));
      const { synced: trialSynced, unsynced: trialUnsynced } = trial[concurrency];
      console.log(`| ${[concurrency, bare, unsynced, synced, trialUnsynced, trialSynced].join(' | ')} |`);
    }
  } finally {
    rmSync(folder, { recursive: true });
    await client.close();
    await sandbox.close();
  }
}

async function rateOf(send: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await send();
  return Math.round(CALLS / ((performance.now() - started) / 1000));
}

async function sendBare(client: MessagingClient, concurrency: number): Promise<void> {
  let left = CALLS;
  const worker = async () => {
    while (left-- > 0) await client.sendSimple({ ...fields, receptor: [`0912${left}`] });
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function sendRows(
  client: MessagingClient,
  concurrency: number,
  journal: string,
  isSynced: boolean,
): Promise<void> {
  const input = Array.from({ length: CALLS }, (_, row) => ({ receptor: `0912${row}` }));
  const openFile = async (path: string, isNew: boolean): Promise<JournalFile> => {
    const file = await openJournalFile(path, isNew);
    return isSynced ? file : { ...file, sync: async () => undefined };
  };
  const bulk = new Bulk(await openSession({ client, input, fields, journal }, openFile));
  await bulk.run({ concurrency });
  await bulk.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
