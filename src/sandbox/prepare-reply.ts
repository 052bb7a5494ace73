import { validateHeaderName, validateHeaderValue } from 'node:http';
import { MAX_DELAY_MS } from '../internal/timers';
import { type Field, operations, records } from '../soap/elements/legacy-fields';
import type { OperationName } from '../types';
import { isInRange } from '../xml/integers';
import { checkFields, checkText, FieldError, within, wrong } from './checks';
import type { DropReply, FaultReply, HttpReply, Reply } from './replies';
import { STATUS_OK } from './service';
import type { HttpAnswer } from './wire/http-answer';
import type { SandboxFault } from './wire/write-fault';
import type { WritableResponse } from './wire/write-response';

/** A checked reply, with its kind and every default in place. */
export type PreparedReply = (
  | { readonly kind: 'fault'; readonly fault: SandboxFault }
  // An undefined result stands for the operation's empty one.
  | { readonly kind: 'response'; readonly response: WritableResponse }
  | { readonly kind: 'http'; readonly answer: HttpAnswer }
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  | { readonly kind: 'service' }
) & { readonly delayMs: number };

/** @throws {FieldError} when a part of the reply is not what its type says */
export function prepareReply(operation: OperationName | '*', reply: Reply): PreparedReply {
  checkFields('reply', reply, ['fault', 'status', 'statusmessage', 'result', 'http', 'drop', 'delayMs']);
  const { delayMs = 0 } = reply;
  if (typeof delayMs !== 'number' || !(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
    throw wrong('reply.delayMs', delayMs, `a number from 0 to ${MAX_DELAY_MS}`);
  }
  const kinds = (['fault', 'http', 'drop', 'result', 'status'] as const).filter((kind) => reply[kind] !== undefined);
  const [kind, other] = kinds;
  if (other !== undefined && !(kind === 'result' && other === 'status')) {
    throw new FieldError('reply', `${kind} and ${other} exclude each other`);
  }
  if (kind !== 'result' && kind !== 'status' && reply.statusmessage !== undefined) {
    throw new FieldError('reply.statusmessage', 'needs status or result beside it');
  }
  if (reply.fault !== undefined) return { kind: 'fault', fault: checkFault(reply.fault), delayMs };
  if (reply.http !== undefined) return { kind: 'http', answer: checkHttp(reply.http), delayMs };
  if (reply.drop !== undefined) return { kind: 'drop', when: checkDrop(reply.drop), delayMs };
  if (kind !== undefined) return { kind: 'response', response: checkResponse(operation, reply), delayMs };
  if (reply.delayMs === undefined) throw new FieldError('reply', 'needs fault, status, result, http, drop or delayMs');
  return { kind: 'service', delayMs };
}

function checkFault(fault: FaultReply['fault']): SandboxFault {
  checkFields('reply.fault', fault, ['code', 'reason', 'actor', 'detail']);
  checkText('reply.fault.code', fault.code);
  checkText('reply.fault.reason', fault.reason);
  if (fault.actor !== undefined) checkText('reply.fault.actor', fault.actor);
  if (fault.detail !== undefined) checkText('reply.fault.detail', fault.detail);
  return fault;
}

function checkHttp(http: HttpReply['http']): HttpAnswer {
  checkFields('reply.http', http, ['status', 'headers', 'body']);
  const { status, headers = {}, body = '' } = http;
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw wrong('reply.http.status', status, 'a whole number from 200 to 999');
  }
  checkFields('reply.http.headers', headers, Object.keys(headers ?? {}));
  for (const [name, value] of Object.entries(headers)) {
    const field = within('reply.http.headers', name);
    checkText(field, value);
    // Node refuses it when it sends the answer, unless trailers follow, which no reply has.
    if (name.toLowerCase() === 'trailer') throw new FieldError(field, 'a reply has no trailers');
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      throw new FieldError(field, (error as Error).message);
    }
  }
  if (!(body instanceof Uint8Array)) checkText('reply.http.body', body);
  return { status, headers, body };
}

function checkDrop(drop: DropReply['drop']): 'before' | 'after' {
  if (drop !== 'before' && drop !== 'after') throw wrong('reply.drop', drop, "'before' or 'after'");
  return drop;
}

/** With a result, status and statusmessage are those of success; without, only the status must be given. */
function checkResponse(operation: OperationName | '*', reply: Reply): WritableResponse {
  const { result, status = STATUS_OK, statusmessage = result === undefined ? '' : 'ok' } = reply;
  if (!Number.isInteger(status) || !isInRange('int', status)) throw wrong('reply.status', status, 'an xsd:int');
  if (statusmessage !== null) checkText('reply.statusmessage', statusmessage);
  if (result !== undefined) checkResult(operation, result);
  return { result, status, statusmessage };
}

function checkResult(operation: OperationName | '*', result: unknown): void {
  const field: Field | undefined = operation === '*' ? undefined : operations[operation].response[0];
  if (!Array.isArray(result)) return checkContent('reply.result', result, field?.item === undefined ? field?.type : '');
  if (field?.item === undefined) {
    throw new FieldError(
      'reply.result',
      operation === '*' ? 'not every operation returns a list' : `${operation} returns no list`,
    );
  }
  result.forEach((item, index) => {
    checkContent(`reply.result[${index}]`, item, field.type);
  });
}

/** @param type a record's name where a record may stand */
function checkContent(field: string, value: unknown, type: string | undefined): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const known =
      type !== undefined && Object.hasOwn(records, type) ? records[type as keyof typeof records] : undefined;
    if (known === undefined) throw wrong(field, value, 'a value');
    checkFields(
      field,
      value,
      known.map(({ name }) => name),
    );
    for (const [name, part] of Object.entries(value)) checkContent(within(field, name), part, undefined);
    return;
  }
  const isValue = ['string', 'bigint', 'boolean', 'undefined'].includes(typeof value) || value === null;
  if (isValue) return;
  if (typeof value !== 'number') throw wrong(field, value, 'a value');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new FieldError(field, 'a number beyond 2^53 loses digits: give a bigint or a string');
  }
}
