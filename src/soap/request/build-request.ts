import { type Element, type OperationName, operations } from '../../../generated/operations';
import { type ErrorContext, RequestError } from '../../errors';
import type { StubRequest } from '../../types';
import { escapeAttribute } from '../../xml/escape';

/** The data that all requests of an operation share. It is computed once per client, and write.ts writes with it. */
export interface RequestPlan {
  readonly context: ErrorContext;
  readonly children: readonly RequestChild[];
  /** The names of the fields that a caller may give. */
  readonly names: ReadonlySet<string>;
  /** The tags of the operation's element. */
  readonly startTag: string;
  readonly endTag: string;
}

/** An element of a request. */
export interface RequestChild {
  readonly element: Element;
  /** The value when the caller gives none; undefined when the caller has to give one. */
  readonly fallback: unknown;
  readonly startTag: string;
  readonly endTag: string;
}

/** Values of elements that a caller may give but need not. */
const BUILT_IN: Readonly<Record<string, unknown>> = { status: 0, statusmessage: '' };

export function planRequest(
  operation: OperationName,
  settings: {
    readonly namespace: string;
    readonly apiKey: string;
    readonly defaults: Readonly<Record<string, unknown>>;
  },
  context: ErrorContext,
): RequestPlan {
  const defaults = Object.entries(settings.defaults).filter(([, value]) => value !== undefined);
  const values: Readonly<Record<string, unknown>> = {
    ...BUILT_IN,
    ...Object.fromEntries(defaults),
    apikey: settings.apiKey,
  };
  const children = operations[operation].request.map((element) => ({
    element,
    fallback: values[element.name],
    startTag: `<${element.name}>`,
    endTag: `</${element.name}>`,
  }));
  const names = new Set<string>(children.map(({ element }) => element.name));
  names.delete('apikey');
  const xmlns = escapeAttribute(settings.namespace);
  return { context, children, names, startTag: `<${operation} xmlns="${xmlns}">`, endTag: `</${operation}>` };
}

/**
 * Builds the typed stub's request from the fields of a caller: the API key first, then every element of the operation table with its
 * value from the fields or from the defaults, with lists wrapped as in the envelope. Null becomes xsi:nil where the WSDL requires the
 * element and lets it be nil, and leaves the element out otherwise. The writer checks the values (write.ts).
 *
 * @param copyLists true to copy the lists, so that the request stays the same when the caller changes them
 * @throws {RequestError} for an unknown field, for a field without a value, and for a null where the WSDL requires the element
 */
export function buildRequest<O extends OperationName>(
  plan: RequestPlan,
  fields: object,
  { copyLists }: { readonly copyLists: boolean },
): StubRequest<O> {
  checkNames(plan, fields);
  const given = fields as Readonly<Record<string, unknown>>;
  const request: Record<string, unknown> = {};
  for (const { element, fallback } of plan.children) {
    const { name } = element;
    // The API key is always the client's own, even when the fields inherit a property of this name.
    const value = name === 'apikey' || given[name] === undefined ? fallback : given[name];
    if (value === null && element.nillable && !element.optional) request[name] = null;
    else if (value === undefined || value === null) refuseAbsent(plan.context, element, value);
    else if (element.kind !== 'list') request[name] = value;
    else request[name] = { [element.item.name]: copyLists && Array.isArray(value) ? value.slice() : value };
  }
  return request as unknown as StubRequest<O>;
}

function checkNames({ context, names }: RequestPlan, fields: object): void {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new RequestError({ ...context, message: 'the request is not an object' });
  }
  for (const name of Object.keys(fields)) {
    if (names.has(name)) continue;
    const message =
      name === 'apikey'
        ? 'apikey is an option of the client, not a field'
        : `unknown field ${name} (fields: ${[...names].join(', ')})`;
    throw new RequestError({ ...context, field: name, message });
  }
}

/** Null leaves an element out where the WSDL allows this. */
function refuseAbsent(context: ErrorContext, { name, optional }: Element, value: undefined | null): void {
  if (value === undefined) {
    const message = `${name} is missing: give it in the request or in the client's defaults`;
    throw new RequestError({ ...context, field: name, message });
  }
  if (!optional) {
    throw new RequestError({ ...context, field: name, message: `${name} cannot be left out: the WSDL requires it` });
  }
}
