import type { TrackClient } from '../../bulk';
import { requiredOptions, type Settings } from '../../client/options/client';
import { resolveTrackOptions } from '../../client/options/track';
import { type TrackedStatus, type Tracking, track } from '../../client/track';
import { type MessagingError, TrackingTimeout } from '../../errors';
import type { Element } from '../../soap/element';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { durationOption } from '../fields/durations';
import { OperationFields } from '../fields/fields';
import { ResultPrinter, type ResultType } from '../output/result-printer';
import { Table } from '../output/table';
import { addCallOptions, addOutputOptions, type OutputOptions } from '../settings/global-options';
import { type NeededSetting, openSession, type Session } from '../settings/session';
import { readSettings } from '../settings/settings';
import { explain } from '../terminal/explain';
import { CommandFailure, exitCodes, UsageError } from '../terminal/failure';
import { Outage } from '../terminal/outage';
import { type CallFlags, type CommandCall, explainCall } from './operations/command-call';

const operation = 'GetStatusByApikey';
const columns: readonly Element[] = [
  { name: 'messageid', kind: 'integer', type: 'long' },
  { name: 'status', kind: 'integer', type: 'int' },
  { name: 'previous', kind: 'integer', type: 'int' },
  { name: 'final', kind: 'boolean' },
];
export const neededForTracking: readonly NeededSetting[] = [...requiredOptions, 'finalStatuses'];

export const changeType: ResultType = {
  columns,
  isRecord: true,
  isList: true,
  isCounted: false,
  widest: { messageid: -(2n ** 63n), status: -(2 ** 31), previous: -(2 ** 31), final: false },
};

export function defineTrack(command: CliCommand, context: Context): void {
  const fields = OperationFields.of(operation);
  command
    .description(
      'Follows sent messages until each has a final status, and prints each change. --final-statuses says which statuses are final. Exits with 8 when --within ends first.',
    )
    .addExamples([
      'track 9007199254740993 --final-statuses 6,10,11 --within 10m',
      'track --messageid-file ids.txt --every 30s > changes.csv',
    ]);
  fields.addTo(command);
  addTrackOptions(command);
  addCallOptions(command);
  addOutputOptions(command, columns);
  command.action(async () => {
    const flags: CallFlags = optionsOf(command);
    const session = openSession(readSettings(flags, context), context, {
      needed: neededForTracking,
      verbose: flags.verbose,
    });
    try {
      const { dates, signal } = session;
      const request = await fields.read(command.opts(), command.args, { io: context.io, dates, signal });
      const printer = changePrinter(changeType, flags, context);
      await trackAndPrint({ session, context, flags, operation, fields, request, printer });
    } finally {
      session.close();
    }
  });
}

export function addTrackOptions(command: CliCommand): void {
  command.optionsGroup('Options:');
  command.addOption(durationOption('within', 'stop after this time, such as 90s, 10m or 2h (default: no limit)'));
  command.addOption(durationOption('every', 'ask again after this time, later while nothing changes (default: 5s)'));
}

async function trackAndPrint(call: CommandCall): Promise<void> {
  try {
    await printChanges(call);
  } catch (error) {
    throw explainCall(error, call);
  } finally {
    call.printer.progress?.end();
  }
}

async function printChanges({ session, request, printer, flags, context }: CommandCall): Promise<void> {
  const { signal } = session;
  const { within, every, columns: chosen } = flags;
  const ids = request.messageid as readonly bigint[] | undefined;
  if (ids === undefined) throw new UsageError('missing: messageid (as arguments, or --messageid-file)');
  const isLive = chosen === undefined && printer.format === 'table' && fitsTerminal(new Set(ids).size, context);
  const latest = new Map<bigint, TrackedStatus>();
  /** The number of lines that the next table replaces. */
  let lines = 0;
  const print = async (change: TrackedStatus): Promise<void> => {
    if (!isLive) return printer.print([change], signal);
    const rows = [...latest.set(change.messageid, change).values()].map((row) => ({ ...row }));
    // Moves the cursor up to the first line, and erases everything below it.
    const back = lines > 0 ? `\x1b[${lines}A\x1b[J` : '';
    lines = rows.length + 1;
    await context.stdout.write(back + new Table(columns, rows).format(rows), signal);
  };
  const tracker = reportingTracker(session, context, () => {
    lines = 0;
  });
  for await (const change of tracker.track(ids, { withinMs: within, everyMs: every, signal })) await print(change);
  if (!isLive) await printer.end(signal);
}

/** True for a table that a terminal can replace as a whole: all of its lines are on the screen. */
function fitsTerminal(messages: number, { io }: Context): boolean {
  const { isTTY, rows = 0, columns: width = 0 } = io.stdout;
  // With the header, and the line of the cursor. A narrower terminal needs several lines for a row.
  return isTTY === true && io.environment.TERM !== 'dumb' && messages + 2 <= rows && width >= 60;
}

/**
 * Tracks messages with the client of a session, and prints an outage once when it begins and once when it ends. When
 * time runs out without a response, it fails with the last failure.
 *
 * @param makeRoom called before a line is printed
 */
export function reportingTracker(
  { client, options: settings }: Pick<Session, 'client' | 'options'>,
  { log }: Context,
  makeRoom: () => void,
): TrackClient {
  const outage = new Outage((line) => {
    makeRoom();
    log(line);
  });
  let isResponded = false;
  let failure: unknown;
  const onFailure = (error: MessagingError): void => {
    failure = error;
    outage.report(explain(error, { way: settings }).message);
  };
  const getStatus: Tracking['getStatus'] = async (messageid, signal) => {
    const statuses = await client.getStatus({ messageid }, { signal });
    outage.end();
    isResponded = true;
    return statuses;
  };
  return {
    async *track(ids, options) {
      // The session has the final statuses, which tracking needs.
      const begin = () => ({ ...resolveTrackOptions({ ...options, onFailure }, settings as Settings), getStatus });
      try {
        yield* track(ids, begin);
      } catch (error) {
        if (!(error instanceof TrackingTimeout) || isResponded) throw error;
        throw failure ?? new CommandFailure(exitCodes.unknown, `${error.message}, and the service did not respond`);
      }
    },
  };
}

/** Creates the printer of changes, which have no end that JSON could close. @throws {UsageError} */
export function changePrinter(type: ResultType, flags: OutputOptions, context: Context): ResultPrinter {
  const printer = new ResultPrinter(type, flags, context);
  if (printer.format === 'json') throw new UsageError('track prints ndjson, csv or a table, not json');
  return printer;
}
