import { existsSync } from 'node:fs';
import { type BulkClient, openBulk, readBulk } from '../../src/bulk';
import { readTracking } from '../../src/bulk/track';
import { openInbox } from '../../src/inbox';
import { readInbox } from '../../src/inbox/inbox';
import type { InboxClient } from '../../src/inbox/options';
import { startSandbox } from '../../src/sandbox';

/** Something that keeps its records in a journal. */
export interface User {
  /** The kind of its journal. */
  readonly name: string;
  readonly file: string;
  /** Opens the journal, writes a record, calls `meanwhile`, writes another record, and closes the journal. */
  use(path: string, meanwhile?: () => unknown, takeOver?: boolean): Promise<unknown>;
  /** Reads the journal, and returns the number of its records. */
  count(path: string): Promise<number>;
}

const input = Array.from({ length: 10 }, (_, row) => ({ receptor: `0912000000${row}` }));
const fields = { sender: '3000', message: 'hi', unixdate: 0n, msgmode: 1 };
let lastId = 0n;

/** A record is a row that is sent. */
const bulk: User = {
  name: 'bulk',
  file: 'list.csv.journal',
  async use(journal, meanwhile, takeOver) {
    const controller = new AbortController();
    let calls = 0;
    const sendSimple = async () => {
      calls += 1;
      if (calls === 2) {
        await meanwhile?.();
        controller.abort();
      }
      lastId += 1n;
      return [lastId];
    };
    const opened = await openBulk({
      client: { sendSimple } as unknown as BulkClient,
      journal,
      input,
      fields,
      takeOver,
    });
    const { signal } = controller;
    await opened.run({ once: true, baselinePagesize: 0, concurrency: 1, signal }).finally(() => opened.close());
  },
  count: async (journal) => (await readBulk(journal)).counts.sent,
};

/** A record is a status of a row, one higher than the one before. */
const statuses: User = {
  name: 'statuses',
  file: 'list.csv.statuses',
  async use(path, meanwhile, takeOver) {
    const journal = journalOf(path);
    if (!existsSync(journal)) await bulk.use(journal);
    async function* track([messageid]: readonly bigint[]) {
      const status = await statuses.count(path);
      yield { messageid, status: status + 1, final: false };
      await meanwhile?.();
      yield { messageid, status: status + 2, final: false };
    }
    const opened = await openBulk({ client: { track } as unknown as BulkClient, journal });
    await opened.track({ finalStatuses: [100], takeOver }).finally(() => opened.close());
  },
  count: async (path) => [...(await readTracking(journalOf(path))).statuses.values()][0] ?? 0,
};

const journalOf = (path: string) => path.replace(/statuses$/, 'journal');

/** A record is a message that is received. */
export const inbox: User = {
  name: 'inbox',
  file: 'inbox.journal',
  async use(journal, meanwhile, takeOver) {
    async function* receiveStream() {
      lastId += 1n;
      yield { messageid: lastId, message: 'hi', date: 1n };
    }
    const client = { receiveStream, baseUrl: 'http://a', namespace: 'urn:a' } as unknown as InboxClient;
    const controller = new AbortController();
    let calls = 0;
    const handle = async () => {
      calls += 1;
      if (calls === 1) return;
      await meanwhile?.();
      controller.abort();
    };
    const opened = await openInbox({
      ...{ client, lineNumbers: ['3000'], journal, unread: 0, everyMs: 1, takeOver },
      onWarning: () => undefined,
      onFailure: (error) => {
        throw error;
      },
    });
    await opened.run(handle, { signal: controller.signal }).finally(() => opened.close());
  },
  count: async (journal) => (await readInbox(journal)).counts.known,
};

/** A record is a message that a line of the sandbox receives. */
const sandbox: User = {
  name: 'sandbox',
  file: 'data.jsonl',
  async use(data, meanwhile) {
    const opened = await startSandbox({ data });
    const receive = () => opened.receive({ sender: '1', receptor: '3000', message: 'hi' });
    try {
      receive();
      await meanwhile?.();
      receive();
    } finally {
      await opened.close();
    }
  },
  async count(data) {
    const opened = await startSandbox({ data });
    const response = await fetch(`${opened.baseUrl}/sandbox/received`).finally(() => opened.close());
    return ((await response.json()) as { readonly received: readonly unknown[] }).received.length;
  },
};

/** Those that open their journals with openJournal. The lock of a sandbox is a socket, and it writes without waiting. */
export const openers: readonly User[] = [bulk, statuses, inbox];

/** All that read their journals with readJournal. */
export const users: readonly User[] = [...openers, sandbox];
