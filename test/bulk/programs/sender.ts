import { openSync, writeSync } from 'node:fs';
import { MessagingClient } from '../../../src';
import { Bulk, openSession } from '../../../src/bulk/bulk';
import type { Journal } from '../../../src/bulk/journal/journal';
import { type JournalFile, openJournalFile } from '../../../src/bulk/journal/journal-file';
import type { JournalRecord, OutcomeRecord } from '../../../src/bulk/journal/records';
import type { Session } from '../../../src/bulk/session/session';
import type { ProgramOptions } from '../support';

/** Sends what is pending, rightly or with one of the defects that the tests must notice. */
async function main(options: ProgramOptions): Promise<void> {
  const { baseUrl, concurrency = 8, baseline = true, defect, synced, ...bulkOptions } = options;
  const client = new MessagingClient({
    baseUrl,
    namespace: 'http://messaging.example/',
    apiKey: 'sandbox-key',
    successStatuses: [200],
  });
  const fields = { sender: '3000', message: 'Hello {{name}}', unixdate: 0n, msgmode: 1 };
  const openFile = async (path: string) => recordSyncs(await openJournalFile(path), synced, defect !== 'no sync');
  const session = await openSession({ ...bulkOptions, client, fields }, openFile);
  const journal = defect === 'no intent' ? writeIntentsLate(session) : session.journal;
  const bulk = new Bulk({ ...session, journal });
  process.stdout.write('running\n');
  const counts = await bulk.run({
    concurrency,
    stopAfterFailures: 0,
    ...(baseline ? { baseline: { pagesize: 1_000_000 } } : {}),
  });
  await bulk.close();
  await client.close();
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}

/** A file that keeps, in another one, how many of its bytes would survive a power loss. */
function recordSyncs(file: JournalFile, path: string | undefined, isSynced: boolean): JournalFile {
  if (path === undefined) return file;
  const handle = openSync(path, 'w');
  const sync = async () => {
    if (!isSynced) return;
    const size = await file.size();
    await file.sync();
    // In place and at once, so that a kill finds the old number or the new one.
    writeSync(handle, String(size).padStart(16), 0);
  };
  return { ...file, sync };
}

/** The one checkpoint that others keep: what was sent is written down afterwards, and only that. */
function writeIntentsLate({ journal, ledger }: Session): Journal {
  const intents = new Map<number, JournalRecord>();
  let n = ledger.batches;
  const commit = async (...records: JournalRecord[]) => {
    for (const record of records) if (record.t === 'intent') intents.set(record.n, record);
    const others = records.filter(({ t }) => t !== 'intent');
    if (others.length > 0) await journal.commit(...others);
  };
  const append = (outcome: OutcomeRecord) => {
    n += 1;
    journal.append({ ...(intents.get(outcome.n) as JournalRecord), n } as JournalRecord, { ...outcome, n });
  };
  return { commit, append, close: () => journal.close(), failure: undefined } as unknown as Journal;
}

main(JSON.parse(process.argv[2] as string)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
