import { type Field, type OperationName, operations } from '../../generated/operations';
import { type ErrorContext, RequestError } from '../errors';
import type { StubRequest } from '../types';

/** The elements that no caller fills, though status and statusmessage may be given. */
const BUILT_IN: Readonly<Record<string, unknown>> = { status: 0, statusmessage: '' };

/**
 * The typed stub's request from a caller's fields: the API key first, then every element of the table with its value from
 * the request or from the defaults, lists wrapped as on the wire. Values are checked when they are written (write.ts).
 *
 * @throws {RequestError} for an unknown field, one without a value, or a null where the WSDL wants an element
 */
export function buildRequest<O extends OperationName>(
  context: ErrorContext,
  operation: O,
  fields: object,
  settings: { readonly apiKey: string; readonly defaults: Readonly<Record<string, unknown>> },
): StubRequest<O> {
  const given = fields as Readonly<Record<string, unknown>>;
  const table: readonly Field[] = operations[operation].request;
  checkNames(context, table, given);
  const request: Record<string, unknown> = {};
  for (const field of table) {
    const value = field.name === 'apikey' ? settings.apiKey : chooseValue(context, field, given, settings.defaults);
    if (value !== null) request[field.name] = field.item === undefined ? value : { [field.item]: value };
  }
  return request as unknown as StubRequest<O>;
}

function checkNames(context: ErrorContext, table: readonly Field[], given: object): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new RequestError(context, undefined, 'the request is not an object');
  }
  for (const name of Object.keys(given)) {
    if (name === 'apikey') throw new RequestError(context, name, 'apikey is an option of the client, not a field');
    if (!hasField(table, name)) {
      const names = table.map((field) => field.name).filter((known) => known !== 'apikey');
      throw new RequestError(context, name, `unknown field ${name} (fields: ${names.join(', ')})`);
    }
  }
}

function hasField(table: readonly Field[], name: string): boolean {
  for (const field of table) if (field.name === name) return true;
  return false;
}

function chooseValue(
  context: ErrorContext,
  { name, optional }: Field,
  given: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): unknown {
  const value = [given[name], defaults[name], BUILT_IN[name]].find((candidate) => candidate !== undefined);
  if (value === undefined) {
    throw new RequestError(context, name, `${name} is missing: give it in the request or in the client's defaults`);
  }
  if (value === null && !optional)
    throw new RequestError(context, name, `${name} cannot be left out: the WSDL requires it`);
  return value;
}
