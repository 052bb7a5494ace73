import { type Element, type OperationName, operations } from '../../../generated/operations';
import { type ErrorContext, RequestError } from '../../errors';
import type { Masker } from '../../internal/mask';
import type { Settings } from '../../settings/client-options';
import { planRequest, type RequestPlan } from '../request/request-plan';
import { planResponse, type ResponsePlan } from '../response/response-reader';

/** The data that all calls of an operation share. It is computed once per client. */
export interface OperationPlan {
  readonly context: ErrorContext;
  readonly request: RequestPlan;
  readonly response: ResponsePlan;
  readonly result: Element;
}

/** @throws {RequestError} when the contract has no such operation */
export function planOperation(operation: OperationName, settings: Settings, masker: Masker): OperationPlan {
  // Callers in JavaScript may give anything.
  const context: ErrorContext = { operation: String(operation), ...masker };
  if (!Object.hasOwn(operations, operation)) {
    const names = Object.keys(operations).join(', ');
    throw new RequestError({ ...context, message: `unknown operation (operations: ${names})` });
  }
  return {
    context,
    request: planRequest(operation, settings, context),
    response: planResponse(operation, settings.namespace, masker),
    result: operations[operation].response[0],
  };
}
