import type { OperationName } from '../../../../generated/operations';
import type { NeededOption } from '../../../client/options/client';
import type { DateUnit } from '../../../client/options/settings';
import { RequestError } from '../../../errors';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import type { FieldValues, OperationFields } from '../../fields/fields';
import type { ResultPrinter } from '../../output/result-printer';
import { type Session, withClient } from '../../settings/client';
import type { GlobalOptions } from '../../settings/global-options';
import { OperationFailure } from '../../terminal/failure';
import { ReaderGone } from '../../terminal/output-stream';
import { effectOf } from './effects';

/** The options of the commands that make calls. Times are in milliseconds. */
export interface CallFlags extends GlobalOptions {
  readonly follow?: true;
  readonly every?: number;
  readonly within?: number;
  readonly dryRun?: true;
  readonly asIs?: true;
}

export interface CallingCommand {
  readonly command: CliCommand;
  readonly context: Context;
  readonly operation: OperationName;
  readonly fields: OperationFields;
  /** The settings that must be set. Default: those of a client. */
  readonly required?: readonly NeededOption[] | undefined;
}

/** A call, and what prints its result. */
export interface CommandCall extends Session {
  readonly context: Context;
  readonly given: CallFlags;
  readonly operation: OperationName;
  readonly request: FieldValues;
  readonly printer: ResultPrinter;
}

/**
 * Reads the settings and the request of a command, and makes its call.
 *
 * @throws {OperationFailure | UsageError} in place of the client's errors, and {ReaderGone} if the reader of the output
 * closed it
 */
export async function runCall(
  { command, context, operation, fields, required }: CallingCommand,
  createPrinter: (given: CallFlags, dates: DateUnit | undefined) => ResultPrinter,
  run: (call: CommandCall) => Promise<void>,
): Promise<void> {
  const given: CallFlags = optionsOf(command);
  const work = async (session: Session): Promise<void> => {
    const { dates, options } = session;
    const printer = createPrinter(given, dates);
    const request = await fields.read(command.opts(), command.args, { io: context.io, dates });
    try {
      await run({ ...session, context, given, operation, request, printer });
    } catch (error) {
      if (error instanceof ReaderGone) throw error;
      if (error instanceof RequestError) {
        const source = given.defaults === undefined ? 'defaults of the profile' : '--defaults';
        throw fields.explain(request, { values: options.defaults ?? {}, source }, error);
      }
      throw new OperationFailure(error, { operation, effect: effectOf(operation), printed: printer.printed });
    } finally {
      printer.progress?.end();
    }
  };
  await withClient(given, context, work, required);
}
