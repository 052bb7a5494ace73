import { type ErrorContext, RequestError } from '../../errors';
import type { StubRequest } from '../../types';
import { escapeAttribute } from '../../xml/escape';
import { type Field, type OperationName, operations } from '../elements/legacy-fields';

/** What all requests of an operation share, computed once per client. write.ts writes with it. */
export interface RequestPlan {
  readonly fields: readonly RequestField[];
  /** What a caller may give. */
  readonly names: ReadonlySet<string>;
  /** The operation's tags. */
  readonly startTag: string;
  readonly endTag: string;
}

/** An element of a request. */
export interface RequestField extends Field {
  /** Its value when the caller gives none; undefined when the caller has to. */
  readonly fallback: unknown;
  readonly startTag: string;
  readonly endTag: string;
  /** For a list. */
  readonly itemTags: ItemTags | undefined;
}

export interface ItemTags {
  readonly name: string;
  readonly startTag: string;
  readonly endTag: string;
  /** The end of one and the start of the next. */
  readonly between: string;
}

/** Values of elements that a caller may give and need not. */
const BUILT_IN: Readonly<Record<string, unknown>> = { status: 0, statusmessage: '' };

export function requestPlan(
  operation: OperationName,
  settings: {
    readonly namespace: string;
    readonly apiKey: string;
    readonly defaults: Readonly<Record<string, unknown>>;
  },
): RequestPlan {
  const values = { ...BUILT_IN, ...definedOf(settings.defaults), apikey: settings.apiKey };
  const fields = operations[operation].request.map(
    (field: Field): RequestField => ({
      ...field,
      fallback: (values as Readonly<Record<string, unknown>>)[field.name],
      startTag: `<${field.name}>`,
      endTag: `</${field.name}>`,
      itemTags: field.item === undefined ? undefined : itemTags(field.item),
    }),
  );
  const names = new Set(fields.map(({ name }) => name));
  names.delete('apikey');
  const xmlns = escapeAttribute(settings.namespace);
  return { fields, names, startTag: `<${operation} xmlns="${xmlns}">`, endTag: `</${operation}>` };
}

function itemTags(name: string): ItemTags {
  return { name, startTag: `<${name}>`, endTag: `</${name}>`, between: `</${name}><${name}>` };
}

function definedOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/**
 * The typed stub's request from a caller's fields: the API key first, then every element of the table with its value from
 * the request or from the defaults, lists wrapped as on the wire. Null is xsi:nil where the WSDL wants the element and lets it
 * be nil, and leaves the element out otherwise. Values are checked when they are written (write.ts).
 *
 * @param copies whether lists are copied, so that the request stays the same when the caller changes them
 * @throws {RequestError} for an unknown field, one without a value, or a null where the WSDL wants an element
 */
export function buildRequest<O extends OperationName>(
  context: ErrorContext,
  plan: RequestPlan,
  fields: object,
  copies: boolean,
): StubRequest<O> {
  checkNames(context, plan, fields);
  const given = fields as Readonly<Record<string, unknown>>;
  const request: Record<string, unknown> = {};
  for (const field of plan.fields) {
    const { name, item, fallback } = field;
    // The client's own key, also when the request object inherits one.
    const value = name === 'apikey' || given[name] === undefined ? fallback : given[name];
    if (value === null && field.nillable && !field.optional) request[name] = null;
    else if (value === undefined || value === null) refuseAbsent(context, field, value);
    else if (item === undefined) request[name] = value;
    else request[name] = { [item]: copies && Array.isArray(value) ? value.slice() : value };
  }
  return request as unknown as StubRequest<O>;
}

function checkNames(context: ErrorContext, { names }: RequestPlan, given: object): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new RequestError({ ...context, message: 'the request is not an object' });
  }
  for (const name of Object.keys(given)) {
    if (names.has(name)) continue;
    const message =
      name === 'apikey'
        ? 'apikey is an option of the client, not a field'
        : `unknown field ${name} (fields: ${[...names].join(', ')})`;
    throw new RequestError({ ...context, field: name, message });
  }
}

/** Null leaves an element out where the WSDL allows that. */
function refuseAbsent(context: ErrorContext, { name, optional }: Field, value: undefined | null): void {
  if (value === undefined) {
    throw new RequestError({
      ...context,
      field: name,
      message: `${name} is missing: give it in the request or in the client's defaults`,
    });
  }
  if (!optional) {
    throw new RequestError({ ...context, field: name, message: `${name} cannot be left out: the WSDL requires it` });
  }
}
