import { TextDecoder } from 'node:util';
import { operations } from '../../generated/operations';
import type { OperationName } from '../../src';
import { type OperationPlan, planOperation } from '../../src/client/plan';
import { SoapFault } from '../../src/client/response/fault';
import { ReadError } from '../../src/client/response/reading-words';
import { ResponseReader } from '../../src/client/response/response-reader';
import { SaxReader } from '../../src/client/response/sax-reader';
import { type Masker, noMasker } from '../../src/internal/mask';
import type { Element, ResponseObject } from '../../src/soap/element';
import { fieldsOf } from '../../src/soap/record-fields';
import { withoutBlanksInFront } from '../../src/xml/encoding';
import { NAMESPACE } from './envelopes';

/** The result of reading some bytes. An exception of another type fails the test. */
export type Reading =
  | { readonly response: ResponseObject }
  | { readonly fault: { readonly code: string; readonly reason: string; readonly detail: string } }
  | { readonly error: string };

const plans = new Map<OperationName, OperationPlan>();

function planOf(operation: OperationName, masker: Masker): OperationPlan {
  const settings = { namespace: NAMESPACE, apiKey: '', defaults: {} };
  if (masker !== noMasker) return planOperation(operation, settings, masker);
  let plan = plans.get(operation);
  if (!plan) {
    plan = planOperation(operation, settings, noMasker);
    plans.set(operation, plan);
  }
  return plan;
}

/**
 * Reads a response as a call does.
 *
 * @param options.cuts the ends of the chunks
 */
export function readResponse(
  operation: OperationName,
  body: Buffer | string,
  { charset, cuts = [], masker = noMasker }: { charset?: string; cuts?: readonly number[]; masker?: Masker } = {},
): Reading {
  const bytes = Buffer.from(body);
  return readingOf(() => {
    const reader = new ResponseReader(planOf(operation, masker), charset, Number.POSITIVE_INFINITY);
    let start = 0;
    for (const end of [...cuts, bytes.length]) {
      if (end > start) reader.write(bytes.subarray(start, end));
      start = Math.max(start, end);
    }
    return reader.end(true);
  });
}

/** Reads a response in UTF-8 with the SAX reader alone. */
export function readWithSax(operation: OperationName, body: Buffer | string): Reading {
  return readingOf(() => {
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(withoutBlanksInFront(Buffer.from(body)));
    } catch {
      throw new ReadError('the body is not valid utf-8');
    }
    const reader = new SaxReader(planOf(operation, noMasker).expected, noMasker, [], 0);
    reader.write(text);
    return reader.end();
  });
}

function readingOf(read: () => ResponseObject): Reading {
  try {
    return { response: read() };
  } catch (error) {
    if (error instanceof ReadError) return { error: error.message };
    if (!(error instanceof SoapFault)) throw error;
    return { fault: error.parts };
  }
}

/** The response that was read. A result list is an array. */
export function responseIn(operation: OperationName, reading: Reading): Record<string, unknown> {
  if (!('response' in reading)) throw new Error(`a response was expected, not ${JSON.stringify(reading)}`);
  const element: Element = operations[operation].response[0];
  const { [element.name]: value, ...rest } = reading.response;
  if (value === undefined) return rest;
  return { ...rest, result: element.kind === 'list' ? (value as ResponseObject)[element.item.name] : value };
}

/** Lists the mistakes in the types of a response, by the operation table. */
export function typeErrors(operation: OperationName, response: Record<string, unknown>): string[] {
  const [result, ...rest] = operations[operation].response;
  return recordErrors([{ ...result, optional: true }, ...rest], response, operation);
}

function recordErrors(elements: readonly Element[], value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} is not an object`];
  const record = value as Record<string, unknown>;
  const unknownNames = Object.keys(record).filter((name) => !elements.some((element) => element.name === name));
  return [
    ...unknownNames.map((name) => `${path} has an unknown ${name}`),
    ...elements.flatMap((element) => {
      const place = `${path}.${element.name}`;
      const given = record[element.name];
      if (given === undefined) return element.optional ? [] : [`${place} is missing`];
      return valueErrors(element, given, place);
    }),
  ];
}

function valueErrors(element: Element, value: unknown, place: string): string[] {
  switch (element.kind) {
    case 'list': {
      const items = (value as Record<string, unknown>)[element.item.name];
      if (!Array.isArray(items)) return [`${place} is not a list`];
      return items.flatMap((item, index) => valueErrors(element.item, item, `${place}[${index}]`));
    }
    case 'record':
      return recordErrors(fieldsOf(element), value, place);
    case 'text':
      return typeof value === 'string' ? [] : [`${place} is not a string`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${place} is not a boolean`];
    case 'enumeration':
      return element.values.includes(value as string) ? [] : [`${place} is not one of ${element.values.join(', ')}`];
    case 'integer':
      return isInteger(element.type, value) ? [] : [`${place} is not an xsd:${element.type}`];
  }
}

function isInteger(type: 'long' | 'int' | 'short', value: unknown): boolean {
  if (type === 'long') return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
  const limit = type === 'int' ? 2 ** 31 : 2 ** 15;
  return Number.isInteger(value) && Number(value) >= -limit && Number(value) < limit && !Object.is(value, -0);
}
