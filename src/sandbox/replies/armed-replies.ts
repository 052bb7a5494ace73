import { validateHeaderName, validateHeaderValue } from 'node:http';
import { operations } from '../../../generated/operations';
import { oneOf, showValue, unchecked, wholeNumber } from '../../options/checks';
import { isObject, listOf, readNamed, readOptions, refuseValue } from '../../options/table';
import type { Element, Operation } from '../../soap/element';
import { fieldsOf } from '../../soap/record-fields';
import type { OperationName } from '../../types';
import { orNull, readInt, readMs, readString } from '../fields';
import type { ArmedReply, FaultReply, HttpReply, Reply, ReplyHandle } from './replies';

/** The armed replies. A request gets the oldest reply that fits it. */
export class ArmedReplies {
  #list: ArmedReply[] = [];
  /** Never goes back, so that the handle of an old reply cannot disarm a new reply. */
  #count = 0;

  /** @param report is called after every change of the list */
  constructor(private readonly report: () => void) {}

  /** Oldest first. A snapshot. */
  get list(): readonly ArmedReply[] {
    return this.#list;
  }

  /** @param given operation, reply, times, receptor and message. @throws {WrongValue} */
  arm(given: unknown): ReplyHandle {
    const { operation, times, receptor, message, reply: value } = readOptions(table, given, 'field');
    const reply = readNamed('reply', () => readReply(operation, value));
    this.#count += 1;
    const id = String(this.#count);
    this.#replace([...this.#list, { id, operation, receptor, message, times, reply }]);
    return { id, clear: () => void this.clear(id) };
  }

  /** Uses the reply to a request of this operation, if there is one. @param fields the fields of the request */
  use(operation: OperationName, fields: object): ArmedReply | undefined {
    const { receptor, message }: ReplyFields = fields;
    const fits = (armed: ArmedReply): boolean =>
      (armed.operation === '*' || armed.operation === operation) &&
      holds(receptor, armed.receptor) &&
      holds(message, armed.message);
    const found = this.#list.find(fits);
    if (found !== undefined && Number.isFinite(found.times)) {
      const left = { ...found, times: found.times - 1 };
      this.#replace(this.#list.flatMap((armed) => (armed !== found ? armed : left.times > 0 ? left : [])));
    }
    return found;
  }

  /** @returns false when no reply with this id is armed */
  clear(id: string): boolean {
    const rest = this.#list.filter((armed) => armed.id !== id);
    const isArmed = rest.length < this.#list.length;
    if (isArmed) this.#replace(rest);
    return isArmed;
  }

  /** Arms a reply again that was disarmed, in its place: a request gets the oldest reply that fits it. */
  restore(reply: ArmedReply): void {
    this.#replace([...this.#list, reply].sort((one, other) => Number(one.id) - Number(other.id)));
  }

  clearAll(): void {
    if (this.#list.length > 0) this.#replace([]);
  }

  #replace(list: ArmedReply[]): void {
    this.#list = list;
    this.report();
  }
}

/** The fields by which a reply may choose a request. Not every request has them. */
interface ReplyFields {
  readonly receptor?: unknown;
  readonly message?: unknown;
}

/** True when a text, or one of a list of texts, contains what is wanted. */
function holds(field: unknown, wanted: string | undefined): boolean {
  return wanted === undefined || [field].flat().some((each) => typeof each === 'string' && each.includes(wanted));
}

const table = {
  operation: { read: readOperation, required: true },
  times: { read: readTimes, default: 1 },
  receptor: { read: readString },
  message: { read: readString },
  reply: { ...unchecked<unknown>(), required: true },
} as const;

function readOperation(value: unknown): OperationName | '*' {
  return value === '*' || Object.hasOwn(operations, String(value))
    ? (value as OperationName | '*')
    : refuseValue(`${showValue(value)} is not an operation of the contract or '*'`);
}

/** Null is Infinity, which JSON does not have. */
function readTimes(value: unknown): number {
  return value === null || value === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : wholeNumber(1)(value);
}

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
  statusmessage: { read: orNull(readString) },
  delayMs: { read: readMs },
};

/** Reads a reply. @throws {WrongValue} when a part of the reply is not of its type */
function readReply(operation: OperationName | '*', value: unknown): Reply {
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

function readHeaders(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return refuseValue('an object is needed');
  for (const [name, content] of Object.entries(value)) readNamed(name, () => checkHeader(name, content));
  return value as Readonly<Record<string, string>>;
}

function checkHeader(name: string, content: unknown): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, readString(content));
  } catch (error) {
    refuseValue((error as Error).message);
  }
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
    const fields = fieldsOf(element).map(({ name }) => [name, { read: (part: unknown) => checkContent(part) }]);
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
