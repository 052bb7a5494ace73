import { TextDecoder } from 'node:util';
import type { OperationName } from '../../src';
import { type Field, operations, records } from '../../src/soap/elements/legacy-fields';
import { type EnvelopeContent, ReadError } from '../../src/soap/response/answer';
import { type ReadingPlan, ResponseReader, readingPlan } from '../../src/soap/response/response-reader';
import { SaxReader } from '../../src/soap/response/sax-reader';
import { NAMESPACE } from './envelopes';

/** What a reader made of some bytes. An exception that is no ReadError is no answer, and fails the test. */
export type Reading = { readonly answer: EnvelopeContent } | { readonly error: string };

const plans = new Map<OperationName, ReadingPlan>();

function planOf(operation: OperationName): ReadingPlan {
  let plan = plans.get(operation);
  if (!plan) {
    plan = readingPlan(NAMESPACE, operation);
    plans.set(operation, plan);
  }
  return plan;
}

/**
 * Reads an answer as a call does.
 *
 * @param cuts where the chunks end
 */
export function readAnswer(
  operation: OperationName,
  body: Buffer | string,
  { charset, cuts = [] }: { charset?: string; cuts?: readonly number[] } = {},
): Reading {
  const bytes = Buffer.from(body);
  return reading(() => {
    const reader = new ResponseReader(planOf(operation), charset);
    let start = 0;
    for (const end of [...cuts, bytes.length]) {
      if (end > start) reader.write(bytes.subarray(start, end));
      start = Math.max(start, end);
    }
    return reader.end();
  });
}

/** Reads an answer in UTF-8 with the SAX reader alone. */
export function readWithSax(operation: OperationName, body: Buffer | string): Reading {
  return reading(() => {
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body));
    } catch {
      throw new ReadError('the body is not valid utf-8');
    }
    const reader = new SaxReader(planOf(operation).schema, [], 0);
    reader.write(text);
    return reader.end();
  });
}

function reading(read: () => EnvelopeContent): Reading {
  try {
    return { answer: read() };
  } catch (error) {
    if (error instanceof ReadError) return { error: error.message };
    throw error;
  }
}

/** The response that an answer holds; its result list, if it is one, bare. */
export function responseIn(operation: OperationName, result: Reading): Record<string, unknown> {
  if ('error' in result) throw new Error(`an answer was expected, not an error: ${result.error}`);
  if (!('response' in result.answer)) throw new Error('a response was expected, not a fault');
  const response = { ...result.answer.response };
  const field: Field = operations[operation].response[0];
  const { [field.name]: value, ...rest } = response;
  if (value === undefined) return rest;
  return { ...rest, result: field.item === undefined ? value : (value as Record<string, unknown>)[field.item] };
}

/** What is wrong with the types of a response, by the operation table; empty when nothing is. */
export function typeErrors(operation: OperationName, response: Record<string, unknown>): string[] {
  const [result, ...rest] = operations[operation].response as readonly Field[];
  return fieldErrors([{ ...(result as Field), optional: true }, ...rest], response, operation);
}

function fieldErrors(fields: readonly Field[], value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} is no object`];
  const record = value as Record<string, unknown>;
  const unknownNames = Object.keys(record).filter((name) => !fields.some((field) => field.name === name));
  return [
    ...unknownNames.map((name) => `${path} has an unknown ${name}`),
    ...fields.flatMap((field) => {
      const place = `${path}.${field.name}`;
      const given = record[field.name];
      if (given === undefined) return field.optional ? [] : [`${place} is missing`];
      if (field.item === undefined) return valueErrors(field.type, given, place);
      const items = (given as Record<string, unknown>)[field.item];
      if (!Array.isArray(items)) return [`${place} is no list`];
      return items.flatMap((item, index) => valueErrors(field.type, item, `${place}[${index}]`));
    }),
  ];
}

function valueErrors(type: Field['type'], value: unknown, place: string): string[] {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? [] : [`${place} is no string`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${place} is no boolean`];
    case 'long':
      return typeof value === 'bigint' && BigInt.asIntN(64, value) === value ? [] : [`${place} is no long`];
    case 'int':
    case 'short':
      return typeof value === 'number' && Number.isInteger(value) && (value | 0) === value && !Object.is(value, -0)
        ? []
        : [`${place} is no int`];
    default:
      return fieldErrors(records[type], value, place);
  }
}
