import type { OperationName } from '../../../../generated/operations';
import { RequestError } from '../../../errors';
import type { FieldValues, OperationFields } from '../../fields/fields';
import type { ResultPrinter } from '../../output/result-printer';
import type { Session } from '../../settings/client';
import type { GlobalOptions } from '../../settings/global-options';
import { OperationFailure } from '../../terminal/failure';
import { ReaderGone } from '../../terminal/output-stream';
import { helpTexts } from './help-texts';

/** A call, and what prints its result. */
export interface CommandCall extends Session {
  readonly given: GlobalOptions;
  readonly operation: OperationName;
  readonly request: FieldValues;
  readonly printer: ResultPrinter;
}

/**
 * Runs a call.
 *
 * @throws {OperationFailure | UsageError} in place of the client's errors, and {ReaderGone} if the reader of the output
 * closed it
 */
export async function reportFailure<T>(call: CommandCall, fields: OperationFields, run: () => Promise<T>): Promise<T> {
  const { operation, request, printer, options, given } = call;
  try {
    return await run();
  } catch (error) {
    if (error instanceof ReaderGone) throw error;
    if (error instanceof RequestError) {
      const source = given.defaults === undefined ? 'defaults of the profile' : '--defaults';
      throw fields.explain(request, { values: options.defaults ?? {}, source }, error);
    }
    const effect = helpTexts[operation]?.effect;
    throw new OperationFailure(error, { operation, effect, printed: printer.printed });
  } finally {
    printer.progress?.clear();
  }
}
