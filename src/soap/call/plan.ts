import { type ErrorContext, RequestError } from '../../errors';
import type { Mask } from '../../internal/mask';
import type { Settings } from '../../settings/client-options';
import { type Field, type OperationName, operations } from '../elements/legacy-fields';
import { type RequestPlan, requestPlan } from '../request/build-request';
import { type ReadingPlan, readingPlan } from '../response/response-reader';

/** What all calls of an operation share, computed once per client. */
export interface OperationPlan {
  readonly context: ErrorContext;
  readonly request: RequestPlan;
  readonly reading: ReadingPlan;
  /** The element that holds the result. */
  readonly result: Field;
}

/** @throws {RequestError} when there is no such operation */
export function planOperation(operation: OperationName, settings: Settings, mask: Mask): OperationPlan {
  // Callers in JavaScript may give anything.
  const context: ErrorContext = { operation: String(operation), ...mask };
  if (!Object.hasOwn(operations, operation)) {
    const names = Object.keys(operations).join(', ');
    throw new RequestError({ ...context, message: `unknown operation (operations: ${names})` });
  }
  return {
    context,
    request: requestPlan(operation, settings),
    reading: readingPlan(settings.namespace, operation),
    result: operations[operation].response[0],
  };
}
