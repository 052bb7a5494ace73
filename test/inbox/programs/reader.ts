import fs, { appendFileSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { MessagingClient } from '../../../src';
import { type InboxClient, openInbox } from '../../../src/inbox';
import type { Place, ReaderOptions } from '../kills';

const options: ReaderOptions = JSON.parse(process.argv[2] as string);

let passed = 0;

/** Kills this process when it passes the place of the options for the n-th time. */
function instant(where: Place, beforeKill = (): void => undefined): void {
  if (where !== options.kill?.where) return;
  passed += 1;
  if (passed !== options.kill.count) return;
  beforeKill();
  log(`killed ${where}`);
  process.kill(process.pid, 'SIGKILL');
  // The signal arrives while nothing else happens.
  for (;;);
}

function log(line: string): void {
  appendFileSync(options.log, `${line}\n`);
}

/** Counts the instants around each operation on a file, and the instant at which only a part is written. */
function watchFiles(): void {
  const { open, rename } = files;
  files.open = async (...args) => {
    const handle = await open(...args);
    if (args[1] !== 'r') Object.assign(handle, watched(handle));
    return handle;
  };
  files.rename = async (...args) => {
    instant('before the new journal');
    await rename(...args);
    instant('after the new journal');
  };
}

function watched(handle: FileHandle): Partial<FileHandle> {
  const write = handle.write.bind(handle) as (bytes: Uint8Array, offset: number) => Promise<unknown>;
  const datasync = handle.datasync.bind(handle);
  return {
    write: (async (bytes: Uint8Array, offset: number) => {
      instant('before a write');
      instant('in a write', () => fs.writeSync(handle.fd, bytes, offset, Math.floor((bytes.length - offset) / 2)));
      const written = await write(bytes, offset);
      instant('after a write');
      return written;
    }) as unknown as FileHandle['write'],
    datasync: async () => {
      instant('before a sync');
      await datasync();
      instant('after a sync');
    },
  };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function main(): Promise<void> {
  const { baseUrl, journal, read, daysAhead, failing } = options;
  const now = Date.now;
  Date.now = () => now() + daysAhead * 86_400_000;
  watchFiles();
  const client = new MessagingClient({
    baseUrl,
    namespace: 'http://messaging.example/',
    apiKey: 'sandbox-key',
    successStatuses: [200],
    keepAlive: false,
  });
  const controller = new AbortController();
  const failed = new Set<bigint>();
  let idle = 0;
  const watching: InboxClient = {
    ...{ baseUrl, namespace: client.namespace, idleTimeoutMs: 0 },
    async *receiveStream(request, callOptions) {
      instant('before a request');
      if (request.isread === 0) idle += 1;
      for await (const message of client.receiveStream(request, callOptions)) {
        if (request.isread === 0) idle = 0;
        instant('in a response');
        yield message;
      }
      instant('after a response');
      if (idle > 3 && failed.size === 0) controller.abort();
    },
  };
  const inbox = await openInbox({
    ...{ client: watching, lineNumbers: ['3000'], journal, unread: 0, read, everyMs: 1, keepDays: 1 },
    onWarning: () => undefined,
    onFailure: () => undefined,
  });
  await inbox.run(
    async ({ messageid }, { redelivered }) => {
      instant('before the handler');
      log(`begin ${messageid} ${redelivered}`);
      instant('in the handler');
      await tick();
      failed.delete(messageid);
      if (Math.random() < failing) {
        failed.add(messageid);
        log(`fail ${messageid}`);
        throw new Error('not now');
      }
      log(`end ${messageid}`);
      instant('after the handler');
    },
    { signal: controller.signal },
  );
  await inbox.close();
  await client.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
