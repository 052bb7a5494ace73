import type { OperationName } from '../../../../generated/operations';
import { RequestError } from '../../../errors';
import type { Context } from '../../commander/command';
import type { FieldValues, OperationFields } from '../../fields/fields';
import type { ResultPrinter } from '../../output/result-printer';
import type { GlobalOptions } from '../../settings/global-options';
import type { Session } from '../../settings/session';
import { spellSetting } from '../../settings/settings';
import { CommandFailure, exitCodes, OperationFailure, UsageError } from '../../terminal/failure';
import { ReaderGone } from '../../terminal/output-stream';
import { effectOf } from './effects';

/** The options of the commands that make calls. Times are in milliseconds. */
export interface CallFlags extends GlobalOptions {
  readonly follow?: true;
  readonly every?: number;
  readonly within?: number;
  readonly dryRun?: true;
  readonly asIs?: true;
  readonly yes?: true;
}

/** A call of a command, and what prints its result. */
export interface CommandCall {
  readonly session: Session;
  readonly context: Context;
  readonly flags: CallFlags;
  readonly operation: OperationName;
  readonly fields: OperationFields;
  readonly request: FieldValues;
  readonly printer: ResultPrinter;
}

/** Makes the failure of a call one that says what happened in the user's words, and whether the call took effect. */
export function explainCall(
  error: unknown,
  { session: { options, settings }, operation, fields, request, printer }: CommandCall,
): unknown {
  if (error instanceof OperationFailure) return error;
  const effect = effectOf(operation);
  if (error instanceof ReaderGone) {
    if (effect?.unprinted === undefined) return error;
    return new CommandFailure(exitCodes.unexpected, `the reader of the output closed it; ${effect.unprinted}`);
  }
  if (error instanceof RequestError)
    return fields.explain(request, { values: options.defaults, source: spellSetting('defaults', settings) }, error);
  return new OperationFailure(error, { operation, isBegun: true, way: options, effect, printed: printer.printed });
}

/** Does what comes before a request. A failure says that the call had no effect. */
export async function beforeCall<T>(
  operation: OperationName,
  { options: way }: Session,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // These are about the command line, or have said everything.
    if ([ReaderGone, UsageError, RequestError, CommandFailure].some((kind) => error instanceof kind)) throw error;
    throw new OperationFailure(error, { operation, isBegun: false, way, effect: effectOf(operation), printed: 0 });
  }
}
