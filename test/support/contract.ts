import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../../generated/operations';
import type { OperationName, SoapVersion } from '../../src';
import type { Element, Operation } from '../../src/soap/element';
import type { MessagingRequest } from '../../src/types';
import { VERSIONS } from './envelopes';
import { payloadOf } from './xml';

export const OPERATIONS = Object.keys(operations) as OperationName[];
/** Each operation with each version, for `test.each`. */
export const EVERY_CALL: readonly [OperationName, SoapVersion][] = OPERATIONS.flatMap((operation) =>
  VERSIONS.map((version): [OperationName, SoapVersion] => [operation, version]),
);

/** Reads test/fixtures/requests, which is written from the contract's text: request line, headers and body. */
export function requestFixture(operation: OperationName, soapVersion: SoapVersion) {
  const name = `${operation}.${soapVersion.replace('.', '')}.http`;
  const text = readFileSync(join(__dirname, '../fixtures/requests', name), 'utf8');
  const [head = '', body = ''] = text.split('\n\n');
  const [line, ...headers] = head.split('\n');
  return { line, headers, body: body.replace(/\n$/, '') };
}

/** An element of a request, with its type and whether it is a list. */
export interface CallerField {
  readonly operation: OperationName;
  readonly name: string;
  readonly type: string;
  readonly list: boolean;
}

/** The elements of an operation's request in their order, apikey, status and statusmessage included. */
export function requestFields(operation: OperationName): CallerField[] {
  const typeOf = (element: Element): string => (element.kind === 'integer' ? element.type : 'string');
  const { request }: Operation = operations[operation];
  return request.map((element) => ({
    operation,
    name: element.name,
    type: typeOf(element.kind === 'list' ? element.item : element),
    list: element.kind === 'list',
  }));
}

/** Every field of every operation that a caller may fill. */
export const CALLER_FIELDS: readonly CallerField[] = OPERATIONS.flatMap(requestFields).filter(
  ({ name }) => name !== 'apikey',
);

/** The request that a caller gives for the fixture of an operation, without status and statusmessage. */
function sampleOf(operation: OperationName): object {
  const { children } = payloadOf(requestFixture(operation, '1.1').body);
  const values = requestFields(operation).map(({ name, type, list }) => {
    const element = children.find(({ local }) => local === name);
    const read = (text = '') => (type === 'string' ? text : type === 'long' ? BigInt(text) : Number(text));
    return [name, list ? element?.children.map(({ text }) => read(text)) : read(element?.text)];
  });
  const { apikey, status, statusmessage, ...sample } = Object.fromEntries(values);
  return sample;
}

/** The requests of the fixtures, complete, as a caller gives them. */
export const SAMPLES = Object.fromEntries(
  OPERATIONS.map((operation) => [operation, sampleOf(operation)]),
) as unknown as {
  readonly [O in OperationName]: MessagingRequest<O>;
};

/** A request of the operation in which one field holds a value; in a list, between two others. */
export function requestWith({ operation, name, list, type }: CallerField, value: unknown): object {
  const other = type === 'string' ? 'other' : 1;
  return { ...SAMPLES[operation], [name]: list ? [other, value, other] : value };
}
