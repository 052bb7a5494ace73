import { type OperationName, operations } from '../../generated/operations';
import { type ErrorContext, RequestError } from '../errors';
import type { Masker } from '../internal/mask';
import { type Element, type ResponseElement, responseNameOf } from '../soap/element';
import { escapeAttribute } from '../xml/escape';
import type { Settings } from './options/client';
import { fastPatterns } from './response/fast-reader';
import type { ResponsePlan } from './response/response-reader';

/**
 * The data that all calls of an operation share. It is computed once per client, except `cachedPrologue`, which changes
 * with each response.
 */
export interface OperationPlan extends ResponsePlan {
  readonly context: ErrorContext;
  readonly children: readonly RequestChild[];
  /** The names of the fields that a caller may give. */
  readonly fields: ReadonlySet<string>;
  readonly startTag: string;
  readonly endTag: string;
  readonly result: Element;
}

interface RequestChild {
  readonly element: Element;
  /** The value when the caller gives none; undefined when the caller has to give one. */
  readonly fallback: unknown;
  readonly startTag: string;
  readonly endTag: string;
}

/** @throws {RequestError} when the contract has no such operation */
export function planOperation(
  operation: OperationName,
  { namespace, apiKey, defaults }: Pick<Settings, 'namespace' | 'apiKey' | 'defaults'>,
  masker: Masker,
): OperationPlan {
  // Callers in JavaScript may give anything. What is no text must not be the name of an operation in the error.
  const isText = typeof operation === 'string';
  const context: ErrorContext = { operation: isText ? operation : undefined, ...masker };
  if (!isText || !Object.hasOwn(operations, operation)) {
    const names = Object.keys(operations).join(', ');
    throw new RequestError({ ...context, message: `unknown operation (operations: ${names})` });
  }
  const { request, response } = operations[operation];
  const given = Object.entries(defaults).filter(([, value]) => value !== undefined);
  // A caller may give status and statusmessage, but need not.
  const values: Record<string, unknown> = {
    status: 0,
    statusmessage: '',
    ...Object.fromEntries(given),
    apikey: apiKey,
  };
  const children = request.map((element) => ({
    element,
    fallback: values[element.name],
    startTag: `<${element.name}>`,
    endTag: `</${element.name}>`,
  }));
  const [result, ...rest] = response;
  const expected: ResponseElement = {
    namespace,
    name: responseNameOf(operation),
    // A refusal may come without a result, so the exchange checks for it.
    children: [{ ...result, optional: true }, ...rest],
  };
  return {
    context,
    children,
    fields: new Set(request.map(({ name }) => name as string).filter((name) => name !== 'apikey')),
    startTag: `<${operation} xmlns="${escapeAttribute(namespace)}">`,
    endTag: `</${operation}>`,
    result,
    expected,
    patterns: fastPatterns(expected),
  };
}
