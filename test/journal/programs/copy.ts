import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { MessagingClient, type MessagingOptions } from '../../../src';
import { openBulk } from '../../../src/bulk';
import { openInbox } from '../../../src/inbox';

export { MessagingClient, openBulk, openInbox };

interface What {
  readonly kind: 'bulk' | 'inbox';
  readonly journal: string;
  readonly clientOptions: MessagingOptions;
}

export interface Opened {
  close(): Promise<void>;
}

/** Opens a journal with a copy of the package. A list has its journal open from its first run on. */
export async function openJournal(
  copy: Pick<typeof import('./copy'), 'MessagingClient' | 'openBulk' | 'openInbox'>,
  { kind, journal, clientOptions }: What,
): Promise<Opened> {
  const client = new copy.MessagingClient(clientOptions);
  const open = async () => {
    if (kind === 'inbox') return copy.openInbox({ client, lineNumbers: ['3000'], journal, unread: 0, read: 1 });
    const bulk = await copy.openBulk({
      ...{ client, journal, input: [{ receptor: '09120000001' }], operation: 'sendSimple' },
      fields: { sender: '3000', message: 'hi', unixdate: 0, msgmode: 1 },
    });
    await bulk.run();
    return bulk;
  };
  try {
    const opened = await open();
    return { close: () => opened.close().finally(() => client.close()) };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** In a thread, opens a journal, says so, and closes it when it is told to. */
async function main(): Promise<void> {
  const opened = await openJournal({ MessagingClient, openBulk, openInbox }, workerData);
  parentPort?.once('message', () => void opened.close());
  parentPort?.postMessage('open');
}

if (!isMainThread && parentPort && workerData?.journal)
  main().catch(({ code, message }) => parentPort?.postMessage(code ?? message));
