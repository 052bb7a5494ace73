import type { BulkDelivery, TrackClient } from '../../../bulk';
import { journalOptions } from '../../../bulk/options';
import { readList } from '../../../bulk/state/bulk-journal';
import { trackBulk } from '../../../bulk/track';
import { type MessagingError, TrackingTimeout } from '../../../errors';
import type { Element } from '../../../soap/element';
import type { CliCommand, Context } from '../../commander/command';
import { readFlags } from '../../fields/flags';
import { ResultPrinter } from '../../output/result-printer';
import { createClient, withWireLog } from '../../settings/client';
import { requiredForCalls } from '../../settings/client-settings';
import { addCallOptions, addOutputOptions } from '../../settings/global-options';
import { explain } from '../../terminal/explain';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { ProgressLine } from '../../terminal/progress-line';
import { addTrackOptions, changeType, noResponse } from '../track';
import { addFileArgument, addTakeOver, type BulkCall, setAction } from './command';
import { formatRows } from './report';
import { readService } from './service';

/** The time after which a terminal shows the last changes, in milliseconds. */
const TICK_MS = 500;

const row: Element = { name: 'row', kind: 'integer', type: 'int' };
const type = {
  ...changeType,
  columns: [row, ...changeType.columns],
  widest: { row: 2 ** 31 - 1, ...changeType.widest },
};

/** Defines the command that follows the sent rows of a file. */
export function defineBulkTrack(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description(
      'Follows the sent rows until each has a final status. A terminal shows the rows by status, a file gets each change. Goes on where it stopped, whatever crashed.',
    )
    .addExamples(['bulk track list.csv --final-statuses 6,10,11 --within 2h > changes.csv']);
  addTakeOver(command);
  addTrackOptions(command);
  addCallOptions(command.optionsGroup('Global options:'));
  addOutputOptions(
    command,
    type.columns.map(({ name }) => name),
  );
  setAction(command, context, trackRows);
}

async function trackRows(call: BulkCall): Promise<void> {
  const { flags, context, journal } = call;
  const found = await readList(journal);
  const { settings } = readService(call, found);
  const { client, options } = createClient(settings, [...requiredForCalls, 'finalStatuses'], { keepAlive: true });
  // Otherwise it would be missing.
  const finalStatuses = options.finalStatuses as readonly number[];
  const printer = new ResultPrinter(type, flags, context);
  if (printer.format === 'json') throw new UsageError('bulk track prints ndjson, csv or a table, not json');
  // A terminal gets the counts: thousands of changes would run away.
  const hasChosen = flags.output !== undefined || flags.columns !== undefined;
  const line = printer.format === 'table' && !hasChosen ? new ProgressLine(context.io.stdout) : undefined;
  let delivery: BulkDelivery | undefined;
  let isResponded = false;
  let failure: MessagingError | undefined;
  // A response may repeat what is known, and is then no change of the file.
  const noting: TrackClient = {
    async *track(ids, options) {
      for await (const change of client.track(ids, options)) {
        isResponded = true;
        yield change;
      }
    },
  };
  const track = (signal: AbortSignal): Promise<BulkDelivery> =>
    trackBulk({
      ...{ client: noting, journal, finalStatuses, signal },
      ...readFlags(flags, { takeOver: journalOptions.takeOver }),
      withinMs: flags.within as number | undefined,
      everyMs: flags.every as number | undefined,
      onChange: (change) => (line ? undefined : printer.print([change], signal)),
      onProgress: (now) => {
        delivery = now;
        line?.show(() => describeDelivery(now));
      },
      onFailure: (error, ids) => {
        failure = error;
        line?.clear();
        context.log(`warning: ${explain(error).message}; asking again for ${formatRows(ids.length)}`);
      },
    });
  await withWireLog(flags, context, settings, () =>
    interruptible(context.io.signals, async (signal) => {
      let exitCode: number = exitCodes.done;
      // The line may be younger than the last change.
      const tick = setInterval(() => delivery && line?.show(() => describeDelivery(delivery as BulkDelivery)), TICK_MS);
      try {
        delivery = await track(signal);
        if (!line) await printer.end(signal);
      } catch (error) {
        if (!(error instanceof TrackingTimeout)) throw error;
        if (!isResponded) throw failure ?? noResponse(error);
        exitCode = exitCodes.waiting;
        context.log(`error: ${error.message}`);
      } finally {
        clearInterval(tick);
        line?.clear();
        printer.progress?.clear();
        if (delivery) context.log(describeDelivery(delivery));
      }
      if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
    }),
  );
}

/** The rows by status in one line: `10: 990 rows, 11: 10 rows`. */
function describeDelivery({ statuses, unasked, withoutId }: BulkDelivery): string {
  const counts = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `status ${status}: ${formatRows(count)}`);
  if (unasked > 0) counts.push(`no status yet: ${formatRows(unasked)}`);
  if (withoutId > 0) counts.push(`no id of their own: ${formatRows(withoutId)}`);
  return counts.length > 0 ? counts.join(', ') : 'no row is sent';
}
