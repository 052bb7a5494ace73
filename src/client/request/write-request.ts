import type { OperationName } from '../../../generated/operations';
import { type ErrorContext, RequestError } from '../../errors';
import type { ListElement } from '../../soap/element';
import { describeValue, findValueProblem, kindOf, type ValueElement } from '../../soap/values';
import type { StubRequest } from '../../types';
import { escapeText } from '../../xml/escape';
import type { OperationPlan } from '../plan';

/**
 * Builds the typed stub's request from the fields of a caller: the API key first, then every element of the operation
 * table with its value from the fields or from the defaults, with lists wrapped as in the envelope. Null becomes
 * xsi:nil where the WSDL requires the element and lets it be nil, and leaves the element out otherwise. `writeRequest`
 * checks the values.
 *
 * @param copyLists true to copy the lists, so that the request stays the same when the caller changes them
 * @throws {RequestError} for an unknown field, for a field without a value, and for a null where the WSDL requires the
 * element
 */
export function buildRequest<O extends OperationName>(
  plan: OperationPlan,
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
    if (value === undefined) refuseMissing(plan, given);
    if (value === null && element.optional) continue;
    if (value === null && !element.nillable) {
      refuse(plan.context, name, `${name} cannot be left out: the WSDL requires it`);
    }
    if (value === null || element.kind !== 'list') request[name] = value;
    else request[name] = { [element.item.name]: copyLists && Array.isArray(value) ? value.slice() : value };
  }
  return request as unknown as StubRequest<O>;
}

function checkNames({ context, fields: names }: OperationPlan, fields: object): void {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new RequestError({ ...context, message: 'the request is not an object' });
  }
  for (const name of Object.keys(fields)) {
    if (names.has(name)) continue;
    if (name === 'apikey') refuse(context, name, 'apikey is an option of the client, not a field');
    refuse(context, name, `unknown field ${name} (fields: ${[...names].join(', ')})`);
  }
}

/** Names all fields that are neither in the request nor in the defaults. */
function refuseMissing({ context, children }: OperationPlan, given: Readonly<Record<string, unknown>>): never {
  const names = children
    .filter(({ element, fallback }) => fallback === undefined && given[element.name] === undefined)
    .map(({ element }) => element.name);
  const [first = ''] = names;
  const them = names.length === 1 ? 'is missing: give it' : 'are missing: give them';
  refuse(context, first, `${names.join(', ')} ${them} in the request or in the client's defaults`);
}

function refuse(context: ErrorContext, field: string, message: string): never {
  throw new RequestError({ ...context, field, message });
}

/** Matches text that needs no escaping and contains no forbidden character. */
const PLAIN_TEXT = /^[^&<>\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]*$/;

/**
 * Writes an operation's element with its children in the order of the operation table. It checks each value, so that an
 * invalid value throws before a byte leaves, and the error names all fields with such a value. An element that the
 * request does not have is left out.
 *
 * @param request the typed stub's request, with lists wrapped as in the envelope
 * @throws {RequestError} for a value of another type than the contract's, outside its range, or not writable as XML 1.0
 */
export function writeRequest(plan: OperationPlan, request: Readonly<Record<string, unknown>>): string {
  let xml = plan.startTag;
  const problems: RequestError[] = [];
  for (const child of plan.children) {
    try {
      xml += writeChild(plan.context, child, request[child.element.name]);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      problems.push(error);
    }
  }
  const [first, ...others] = problems;
  if (!first) return xml + plan.endTag;
  if (others.length === 0) throw first;
  const messages = problems.map(({ message }) => message.replace(`${plan.context.operation}: `, ''));
  return refuse(plan.context, first.field as string, messages.join('; '));
}

function writeChild(
  context: ErrorContext,
  { element, startTag, endTag }: OperationPlan['children'][number],
  value: unknown,
): string {
  if (value === undefined) return '';
  // node-soap declares the prefix on the envelope.
  if (value === null) return `<${element.name} xsi:nil="true"/>`;
  const content =
    element.kind === 'list'
      ? writeList(context, element, (value as Record<string, unknown>)[element.item.name])
      : writeValue(context, element.name, element as ValueElement, value);
  return startTag + content + endTag;
}

function writeList(context: ErrorContext, list: ListElement, values: unknown): string {
  const { name } = list;
  if (!Array.isArray(values)) refuse(context, name, `${name}: ${describeValue(list)} is needed, not ${kindOf(values)}`);
  // The generator refuses records in requests.
  const item = list.item as ValueElement;
  const startTag = `<${item.name}>`;
  const endTag = `</${item.name}>`;
  let xml = '';
  // By index, because an array's own methods skip its holes. Appending is faster than joining: V8 copies parts once.
  for (let index = 0; index < values.length; index++) {
    xml += startTag + writeValue(context, name, item, values[index], index) + endTag;
  }
  return xml;
}

/** @param index the index of an item of a list */
function writeValue(
  context: ErrorContext,
  name: string,
  element: ValueElement,
  value: unknown,
  index?: number,
): string {
  if (element.kind === 'text' && typeof value === 'string' && PLAIN_TEXT.test(value)) return value;
  const problem = findValueProblem(element, value);
  if (problem !== undefined) {
    const field = index === undefined ? name : `${name}[${index}]`;
    refuse(context, field, `${field}: ${problem}`);
  }
  return typeof value === 'string' ? escapeText(value) : String(value);
}
