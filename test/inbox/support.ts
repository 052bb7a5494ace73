import { join } from 'node:path';
import { MessagingClient } from '../../src';
import { type Inbox, type InboxOptions, openInbox } from '../../src/inbox';
import type { Sandbox } from '../../src/sandbox';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';
import { openSandbox } from '../support/sandbox';

/** A service that marks as read what it gives, and an inbox of its line 3000. */
export interface Setup {
  readonly sandbox: Sandbox;
  readonly client: MessagingClient;
  readonly journal: string;
  /** Opens the inbox; failures and warnings are collected. */
  open(options?: Partial<InboxOptions>): Promise<Inbox>;
  readonly failures: string[];
  readonly warnings: string[];
}

export async function setUp(): Promise<Setup> {
  const sandbox = await openSandbox();
  const client = new MessagingClient(sandbox.clientOptions);
  cleanUp(() => void client.close().catch(() => undefined));
  const journal = join(makeFolder(), 'inbox.journal');
  const [failures, warnings]: [string[], string[]] = [[], []];
  const open = async (options: Partial<InboxOptions> = {}): Promise<Inbox> => {
    const inbox = await openInbox({
      ...{ client, lineNumbers: ['3000'], journal, unread: 0, read: 1, everyMs: 5 },
      onFailure: (error) => failures.push(String((error as Error).message)),
      onWarning: (warning) => warnings.push(warning),
      ...options,
    });
    cleanUp(() => inbox.close());
    return inbox;
  };
  return { sandbox, client, journal, open, failures, warnings };
}

/** Lets the service receive messages on a line, and returns their ids. */
export function receive(sandbox: Sandbox, texts: readonly string[], receptor = '3000'): bigint[] {
  const records = sandbox.receive(texts.map((message) => ({ message, sender: '09120000001', receptor })));
  return records.map(({ messageid }) => messageid);
}

/** What a handler was called with: the text, with an exclamation mark when it was delivered again. */
export type Calls = string[];

/**
 * Runs an inbox until its handler was called so many times and the service had no further message.
 *
 * @param fails the texts whose handler fails, with the number of failures
 */
export async function runUntil(inbox: Inbox, count: number, fails: Record<string, number> = {}): Promise<Calls> {
  const calls: Calls = [];
  const controller = new AbortController();
  await inbox.run(
    ({ message = '' }, { redelivered }) => {
      calls.push(redelivered ? `${message}!` : message);
      if (calls.length >= count) controller.abort();
      fails[message] = (fails[message] ?? 0) - 1;
      if ((fails[message] as number) >= 0) throw new Error(`cannot handle ${message}`);
    },
    { signal: controller.signal },
  );
  return calls;
}
