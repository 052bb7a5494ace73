import { rmSync } from 'node:fs';
import { type BulkStatus, type Listing, settingsPathOf } from '../../../bulk';
import type { MessagingClient } from '../../../client';
import { AbortError, MessagingError } from '../../../errors';
import { withApiKey } from '../../settings/api-key';
import { createClient, withWireLog } from '../../settings/client';
import { requiredForCalls } from '../../settings/client-settings';
import { type CliSettings, readSettings } from '../../settings/settings';
import { explain } from '../../terminal/explain';
import { CommandFailure } from '../../terminal/failure';
import type { BulkCall } from './bulk-command';

/** Reads the settings of a command that calls the service. @throws {UsageError} */
export function readServiceSettings({ flags, context }: BulkCall): CliSettings {
  return withApiKey(readSettings(flags, context.io.environment), flags, context.log);
}

/**
 * Runs work with a client made from the settings; with `--verbose`, prints requests and responses meanwhile. The work handles
 * signals itself: while rows are read and the journal is opened, Ctrl-C ends the process at once.
 *
 * @param concurrency the number of requests at a time
 */
export async function withBulkClient(
  { flags, context }: BulkCall,
  settings: CliSettings,
  concurrency: number,
  work: (client: MessagingClient) => Promise<void>,
): Promise<void> {
  // Many calls share connections. Other commands make a single call.
  const overrides = { keepAlive: true, maxConnections: Math.max(64, concurrency) };
  const { client } = createClient(settings, requiredForCalls, overrides);
  await withWireLog(flags, context, settings, () => work(client));
}

/**
 * Warns when fewer unknown rows can be decided later.
 *
 * @param given the listing that was asked for
 * @param isBegun true when it is too late to list one
 */
export function warnWithoutBaseline(
  { context: { log } }: BulkCall,
  { baseline }: BulkStatus,
  given: Listing | undefined,
  isBegun: boolean,
): void {
  if (baseline !== undefined || (given !== undefined && !isBegun)) return;
  if (given === undefined) {
    log('warning: without --baseline-pagesize, fewer rows that become unknown can be decided later');
    return;
  }
  const options = 'pagesize' in given ? ['pagesize'] : ['start-unixdate', 'end-unixdate'];
  log(
    `warning: ${options.map((name) => `--baseline-${name}`).join(' and ')}: rows were sent already, so no baseline is listed, and fewer unknown rows can be decided`,
  );
}

/** Words an error of `run` or `enqueue`. Only the call that lists the baseline makes them fail. */
export function explainRun(error: unknown, { file }: BulkCall): unknown {
  const isCall = error instanceof MessagingError && error.operation !== undefined;
  if (!isCall || error instanceof AbortError) return error;
  // Nothing was sent, so every setting may still change, and the baseline may be left out.
  rmSync(settingsPathOf(file), { force: true });
  const { exitCode, message } = explain(error);
  return new CommandFailure(exitCode, `${message}; nothing was sent, because the baseline could not be listed`);
}
