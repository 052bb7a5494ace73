import type { OperationName } from '../../../generated/operations';
import { RequestError, type RequestProblem } from '../../errors';
import type { ListElement } from '../../soap/element';
import { describeValue, findValueProblem, kindOf, type ValueElement } from '../../soap/values';
import type { StubRequest } from '../../types';
import { escapeText } from '../../xml/escape';
import type { OperationPlan } from '../plan';

/**
 * Builds the typed stub's request from the fields of a caller: the API key first, then every element of the operation
 * table with its value from the fields or from the defaults, with lists wrapped as in the envelope. An element that the
 * WSDL marks as optional may have none. Null becomes xsi:nil where the WSDL requires the element and lets it be nil,
 * and leaves the element out otherwise. `writeRequest` checks the values.
 *
 * @param copyLists true to copy the lists, so that the request stays the same when the caller changes them
 * @throws {RequestError} for unknown fields, for fields without a value, and for a null where the WSDL requires the
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
  const missing: string[] = [];
  const problems: RequestProblem[] = [];
  for (const { element, fallback } of plan.children) {
    const { name } = element;
    // The API key is always the client's own, even when the fields inherit a property of this name.
    const own = name === 'apikey' ? undefined : given[name];
    const value = own === undefined ? fallback : own;
    if (value === undefined && element.omittable) continue;
    if (value === undefined) missing.push(name);
    else if (value === null && element.optional) continue;
    else if (value === null && !element.nillable)
      problems.push({ field: name, message: 'null leaves it out, and the WSDL requires it' });
    else if (value === null || element.kind !== 'list') request[name] = value;
    else request[name] = { [element.item.name]: copyLists && Array.isArray(value) ? value.slice() : value };
  }
  if (missing.length > 0) refuseMissing(plan, missing);
  if (problems.length > 0) throw new RequestError({ ...plan.context, problems });
  return request as unknown as StubRequest<O>;
}

function checkNames({ context, fields: names }: OperationPlan, fields: object): void {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new RequestError({ ...context, message: 'the request is not an object' });
  }
  const unknown = Object.keys(fields).filter((name) => !names.has(name));
  if (unknown.length === 0) return;
  const problems = unknown.map((field) => ({ field, message: 'unknown field' }));
  const message = unknown.includes('apikey')
    ? 'apikey is an option of the client, not a field'
    : `unknown field ${unknown.join(', ')} (fields: ${[...names].join(', ')})`;
  throw new RequestError({ ...context, problems, message });
}

/** Names all fields that are neither in the request nor in the defaults. */
function refuseMissing({ context }: OperationPlan, names: readonly string[]): never {
  const problems = names.map((field) => ({ field, message: 'missing' }));
  const them = names.length === 1 ? 'is missing: give it' : 'are missing: give them';
  const message = `${names.join(', ')} ${them} in the request or in the client's defaults`;
  throw new RequestError({ ...context, problems, message });
}

/** Matches text that needs no escaping and contains no forbidden character. Most texts do. */
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
  const problems: RequestProblem[] = [];
  let xml = plan.startTag;
  for (const child of plan.children) xml += writeChild(child, request[child.element.name], problems);
  if (problems.length > 0) throw new RequestError({ ...plan.context, problems });
  return xml + plan.endTag;
}

/** @param problems gets a problem for each value that cannot be written */
function writeChild(
  { element, startTag, endTag }: OperationPlan['children'][number],
  value: unknown,
  problems: RequestProblem[],
): string {
  if (value === undefined) return '';
  // node-soap declares the prefix on the envelope.
  if (value === null) return `<${element.name} xsi:nil="true"/>`;
  const content =
    element.kind === 'list'
      ? writeList(element, (value as Record<string, unknown>)[element.item.name], problems)
      : writeValue(element.name, element as ValueElement, value, problems);
  return startTag + content + endTag;
}

function writeList(list: ListElement, values: unknown, problems: RequestProblem[]): string {
  const { name } = list;
  if (!Array.isArray(values)) {
    problems.push({ field: name, message: `${describeValue(list)} is needed, not ${kindOf(values)}` });
    return '';
  }
  // The generator refuses records in requests.
  const item = list.item as ValueElement;
  const startTag = `<${item.name}>`;
  const endTag = `</${item.name}>`;
  let xml = '';
  // By index, because an array's own methods skip its holes. Appending is faster than joining: V8 copies parts once.
  for (let index = 0; index < values.length; index++) {
    xml += startTag + writeValue(name, item, values[index], problems, index) + endTag;
  }
  return xml;
}

/** @param index the index of an item of a list */
function writeValue(
  name: string,
  element: ValueElement,
  value: unknown,
  problems: RequestProblem[],
  index?: number,
): string {
  if (element.kind === 'text' && typeof value === 'string' && PLAIN_TEXT.test(value)) return value;
  const message = findValueProblem(element, value);
  if (message === undefined) return typeof value === 'string' ? escapeText(value) : String(value);
  problems.push({ field: name, ...(index !== undefined && { index }), message });
  return '';
}
