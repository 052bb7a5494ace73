import { type OperationName, operations } from '../../../generated/operations';
import type { Element } from '../element';

/** A response as the typed stub describes it: result, status, statusmessage; lists are wrapped as in the envelope. */
export type ResponseObject = Record<string, unknown>;

export interface ResponseElement {
  readonly namespace: string;
  readonly name: string;
  /** Result, status and statusmessage. */
  readonly children: readonly Element[];
}

export function responseElementOf(namespace: string, operation: OperationName): ResponseElement {
  const [result, ...rest] = operations[operation].response;
  // A refusal may come without a result, so the exchange checks for it.
  return { namespace, name: responseNameOf(operation), children: [{ ...result, optional: true }, ...rest] };
}

export function responseNameOf(operation: string): string {
  return `${operation}Response`;
}
