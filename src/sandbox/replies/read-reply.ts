import { validateHeaderName, validateHeaderValue } from 'node:http';
import { operations, records } from '../../../generated/operations';
import { MAX_DELAY_MS } from '../../internal/signals';
import { oneOf, showValue, unchecked, wholeNumber } from '../../options/checks';
import { isObject, listOf, readNamed, readOptions, refuseValue } from '../../options/table';
import type { Element, Operation } from '../../soap/element';
import type { OperationName } from '../../types';
import { readInt, readString, readStringOrNull } from '../fields';
import type { FaultReply, HttpReply, Reply } from './replies';

const text = { read: readString };

const faultTable = {
  code: { ...text, required: true },
  reason: { ...text, required: true },
  actor: text,
  detail: text,
} as const;

const httpTable = {
  status: { read: wholeNumber(200, 999), required: true },
  headers: { read: readHeaders },
  body: { read: (value: unknown) => (value instanceof Uint8Array ? new Uint8Array(value) : readString(value)) },
} as const;

const replyTable = {
  fault: { read: (value: unknown) => readOptions(faultTable, value, 'field') as FaultReply['fault'] },
  http: { read: (value: unknown) => readOptions(httpTable, value, 'field') as HttpReply['http'] },
  drop: { read: oneOf(['before', 'after']) },
  result: unchecked<unknown>(),
  status: { read: readInt },
  statusmessage: { read: readStringOrNull },
  delayMs: { read: readDelay },
};

/** Reads a reply. @throws {WrongValue} when a part of the reply is not of its type */
export function readReply(operation: OperationName | '*', value: unknown): Reply {
  const reply = readOptions(replyTable, value, 'field');
  const [kind, other] = (['fault', 'http', 'drop', 'result', 'status'] as const).filter(
    (name) => reply[name] !== undefined,
  );
  if (other !== undefined && !(kind === 'result' && other === 'status')) {
    refuseValue(`${kind} and ${other} exclude each other`);
  }
  if (kind !== 'result' && kind !== 'status' && reply.statusmessage !== undefined) {
    readNamed('statusmessage', () => refuseValue('needs status or result beside it'));
  }
  if (kind === undefined && reply.delayMs === undefined) {
    refuseValue('needs fault, status, result, http, drop or delayMs');
  }
  readNamed('result', () => checkResult(operation, reply.result));
  return reply as Reply;
}

function readDelay(value: unknown): number {
  return typeof value === 'number' && value >= 0 && value <= MAX_DELAY_MS
    ? value
    : refuseValue(`${showValue(value)} is not a number from 0 to ${MAX_DELAY_MS}`);
}

function readHeaders(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return refuseValue('an object is needed');
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [name, readNamed(name, () => readHeader(name, content))]),
  );
}

function readHeader(name: string, value: unknown): string {
  const content = readString(value);
  // Node refuses to send this header unless trailers follow, and a reply has none.
  if (name.toLowerCase() === 'trailer') refuseValue('a reply has no trailers');
  try {
    validateHeaderName(name);
    validateHeaderValue(name, content);
  } catch (error) {
    refuseValue((error as Error).message);
  }
  return content;
}

function checkResult(operation: OperationName | '*', result: unknown): void {
  const element = operation === '*' ? undefined : (operations[operation] as Operation).response[0];
  if (!Array.isArray(result)) checkContent(result, element);
  else if (element?.kind === 'list') listOf((value) => checkContent(value, element.item))(result);
  else refuseValue(operation === '*' ? 'not every operation returns a list' : `${operation} returns no list`);
}

/** @param element the element that the value is for, if it may be a record */
function checkContent(value: unknown, element?: Element): void {
  if (element?.kind === 'record' && isObject(value)) {
    const fields = records[element.record].map(({ name }) => [name, { read: (part: unknown) => checkContent(part) }]);
    readOptions(Object.fromEntries(fields), value, 'field');
    return;
  }
  if (typeof value === 'function' || typeof value === 'symbol' || (typeof value === 'object' && value !== null)) {
    refuseValue(`${showValue(value)} is not a value`);
  }
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    refuseValue('a number beyond 2^53 loses digits: give a bigint or a text');
  }
}
