import type { OperationName } from '../../../../generated/operations';
import { RequestError } from '../../../errors';
import type { Context } from '../../commander/command';
import type { FieldValues, OperationFields } from '../../fields/fields';
import type { ResultPrinter } from '../../output/result-printer';
import type { GlobalOptions } from '../../settings/global-options';
import type { Session } from '../../settings/session';
import { spellSetting } from '../../settings/settings';
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
  if (error instanceof ReaderGone) return error;
  if (error instanceof RequestError)
    return fields.explain(request, { values: options.defaults, source: spellSetting('defaults', settings) }, error);
  return new OperationFailure(error, {
    operation,
    way: options,
    effect: effectOf(operation),
    printed: printer.printed,
  });
}
