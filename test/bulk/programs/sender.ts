import { openSync, writeSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { MessagingClient } from '../../../src';
import { beginList } from '../../../src/bulk/list/begin';
import { List } from '../../../src/bulk/list/list';
import { checkRowOptions } from '../../../src/bulk/options';
import { listBaseline } from '../../../src/bulk/reconcile/listing';
import { runOptions } from '../../../src/bulk/sending/options';
import { Run } from '../../../src/bulk/sending/run';
import { type BulkJournal, bulkKind } from '../../../src/bulk/state/bulk-journal';
import type { BulkRecord, OutcomeRecord } from '../../../src/bulk/state/records';
import { readJournal } from '../../../src/journal/read-journal';
import { checkOptions } from '../../../src/options/table';
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
  if (synced !== undefined) recordSyncs(synced, defect !== 'no sync');
  const settings = checkRowOptions({ ...bulkOptions, fields });
  const before = await readJournal(settings.journal, bulkKind);
  const { signal } = new AbortController();
  let isRunning = false;
  const tell = () => {
    if (!isRunning) process.stdout.write('running\n');
    isRunning = true;
  };
  // A new list is begun with a request for its baseline.
  const list = await List.of(settings);
  await beginList(list, {
    listBaseline: () => listBaseline(client, baseline ? 1_000_000 : 0, signal),
    onBegin: tell,
    signal,
  });
  const journal =
    defect === 'no intent' ? writeIntentsLate(list, before?.state ?? bulkKind.createState()) : list.journal;
  const { plan, rows, given } = list;
  const toRun = { plan, rows, given, state: journal.state, journal, maySend: () => true } as unknown as List;
  tell();
  const how = checkOptions(runOptions, { concurrency, stopAfterFailures: 0, once: true });
  const counts = await new Run(toRun, client, how).run();
  await list.journal.close();
  await client.close();
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}

/** Keeps in a file how many bytes of the journal would survive a power loss. */
function recordSyncs(path: string, isSynced: boolean): void {
  const numbers = openSync(path, 'w');
  const { open } = files;
  files.open = async (...args) => {
    const handle = await open(...args);
    if (String(args[1]).startsWith('a')) Object.assign(handle, { datasync: datasyncOf(handle, numbers, isSynced) });
    return handle;
  };
}

function datasyncOf(handle: FileHandle, numbers: number, isSynced: boolean): FileHandle['datasync'] {
  const datasync = handle.datasync.bind(handle);
  return async () => {
    if (!isSynced) return;
    const { size } = await handle.stat();
    await datasync();
    // In place and at once, so that a kill finds the old number or the new one.
    writeSync(numbers, String(size).padStart(16), 0);
  };
}

/** Keeps a single checkpoint, as other programs do: it writes down only what was sent, and only afterwards. */
function writeIntentsLate({ journal }: List, state: ReturnType<typeof bulkKind.createState>): BulkJournal {
  const intents = new Map<number, BulkRecord>();
  let n = state.batches;
  state.begin('');
  if (!state.isLocked) state.apply(journal.state.list as BulkRecord);
  const commit = async (given: BulkRecord | Iterable<BulkRecord>) => {
    const records = Symbol.iterator in given ? [...given] : [given];
    for (const record of records) {
      state.apply(record);
      if (record.t === 'intent') intents.set(record.n, record);
    }
    const others = records.filter(({ t }) => t !== 'intent');
    if (others.length > 0) await journal.commit(others);
  };
  const append = (outcome: OutcomeRecord) => {
    state.apply(outcome);
    n += 1;
    journal.append({ ...intents.get(outcome.n), n } as BulkRecord);
    journal.append({ ...outcome, n });
  };
  const others = { flush: () => journal.flush(), close: () => journal.close() };
  return { state, commit, append, ...others } as unknown as BulkJournal;
}

main(JSON.parse(process.argv[2] as string)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
