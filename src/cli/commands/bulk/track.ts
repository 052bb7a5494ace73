import type { BulkDelivery } from '../../../bulk';
import { journalOptions } from '../../../bulk/options';
import { readList } from '../../../bulk/state/bulk-journal';
import { readTracking, trackBulk } from '../../../bulk/track';
import type { Element } from '../../../soap/element';
import type { CliCommand, Context } from '../../commander/command';
import { addFlags, readFlags } from '../../fields/flags';
import { createClient, withWireLog } from '../../settings/client';
import { addCallOptions, addOutputOptions } from '../../settings/global-options';
import type { CliSettings } from '../../settings/settings';
import { interruptible } from '../../terminal/io';
import { StatusLine } from '../../terminal/status-line';
import { addTrackOptions, changePrinter, changeType, reportingTracker, requiredForTracking } from '../track';
import { type BulkCall, setAction } from './command';
import { formatRows } from './report';
import { readService } from './service';

const row: Element = { name: 'row', kind: 'integer', type: 'int' };
const type = {
  ...changeType,
  columns: [row, ...changeType.columns],
  widest: { row: 2 ** 31 - 1, ...changeType.widest },
};

/** Defines the command that follows the sent rows of a file. */
export function defineBulkTrack(command: CliCommand, context: Context): void {
  command
    .description(
      'Follows the sent rows until each has a final status. A terminal shows the rows by status, a file gets each change. Goes on where it stopped, whatever crashed.',
    )
    .addExamples(['bulk track list.csv --final-statuses 6,10,11 --within 2h > changes.csv']);
  addFlags(command, journalOptions);
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
  const settings = await withLastStatuses(call, readService(call, found).settings);
  const { client, options } = createClient(settings, requiredForTracking, { keepAlive: true });
  const printer = changePrinter(type, flags, context);
  // A terminal gets the counts: thousands of changes would run away.
  const isCounted = printer.format === 'table' && flags.output === undefined && flags.columns === undefined;
  const status = new StatusLine(context.io.stdout, context.log);
  let delivery: BulkDelivery | undefined;
  const track = (signal: AbortSignal): Promise<BulkDelivery> =>
    trackBulk({
      client: reportingTracker(client, context, () => status.clear()),
      ...{ journal, signal, withinMs: flags.within as number | undefined, everyMs: flags.every as number | undefined },
      ...readFlags(flags, journalOptions),
      // Otherwise it would be missing.
      finalStatuses: options.finalStatuses as readonly number[],
      onChange: (change) => (isCounted ? undefined : printer.print([change], signal)),
      onProgress: (now) => {
        delivery = now;
        if (isCounted) status.start(() => describeDelivery(delivery as BulkDelivery));
      },
    });
  await withWireLog(flags, context, settings, () =>
    interruptible(context.io.signals, async (signal) => {
      try {
        delivery = await track(signal);
        if (!isCounted) await printer.end(signal);
      } finally {
        status.end();
        printer.progress?.clear();
        if (delivery) context.log(describeDelivery(delivery));
      }
    }),
  );
}

/** Adds the final statuses of the last tracking, which an option or a named profile replaces. */
async function withLastStatuses({ flags, journal }: BulkCall, settings: CliSettings): Promise<CliSettings> {
  if (flags.finalStatuses !== undefined || flags.profile !== undefined) return settings;
  const { finalStatuses: value } = await readTracking(journal);
  return value ? { ...settings, finalStatuses: { value, source: 'the last bulk track', inProfile: false } } : settings;
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
