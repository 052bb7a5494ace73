import { validateHeaderName, validateHeaderValue } from 'node:http';
import { operations, records } from '../../../generated/operations';
import { MAX_DELAY_MS } from '../../internal/signals';
import type { Element, Operation } from '../../soap/element';
import type { OperationName } from '../../types';
import type { HttpResponse } from '../wire/http-response';
import type { SandboxFault } from '../wire/write-fault';
import type { WritableResponse } from '../wire/write-response';
import { checkFields, checkInt, checkText, FieldError, fieldPath, wrongField } from './field-error';
import type { DropReply, FaultReply, HttpReply, Reply } from './replies';
import { STATUS_OK } from './service';

/** A checked reply, with its kind and every default in place. */
export type PreparedReply = (
  | { readonly kind: 'fault'; readonly fault: SandboxFault }
  // An undefined result means the operation's empty result.
  | { readonly kind: 'response'; readonly response: WritableResponse }
  | { readonly kind: 'http'; readonly response: HttpResponse }
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  // The service's own response.
  | { readonly kind: 'service' }
) & { readonly delayMs: number };

/** @throws {FieldError} when a part of the reply is not of its type */
export function prepareReply(operation: OperationName | '*', reply: Reply): PreparedReply {
  checkFields('reply', reply, ['fault', 'status', 'statusmessage', 'result', 'http', 'drop', 'delayMs']);
  const { delayMs = 0 } = reply;
  if (typeof delayMs !== 'number' || !(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
    throw wrongField('reply.delayMs', delayMs, `a number from 0 to ${MAX_DELAY_MS}`);
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
  if (reply.http !== undefined) return { kind: 'http', response: checkHttp(reply.http), delayMs };
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

function checkHttp(http: HttpReply['http']): HttpResponse {
  checkFields('reply.http', http, ['status', 'headers', 'body']);
  const { status, headers = {}, body = '' } = http;
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw wrongField('reply.http.status', status, 'a whole number from 200 to 999');
  }
  checkFields('reply.http.headers', headers, Object.keys(headers ?? {}));
  for (const [name, value] of Object.entries(headers)) {
    const field = fieldPath('reply.http.headers', name);
    checkText(field, value);
    // Node refuses to send this header unless trailers follow, and a reply has none.
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
  if (drop !== 'before' && drop !== 'after') throw wrongField('reply.drop', drop, "'before' or 'after'");
  return drop;
}

/** The defaults beside a result are those of success. Without a result, the status must be given. */
function checkResponse(operation: OperationName | '*', reply: Reply): WritableResponse {
  const { result, status = STATUS_OK, statusmessage = result === undefined ? '' : 'ok' } = reply;
  checkInt('reply.status', status);
  if (statusmessage !== null) checkText('reply.statusmessage', statusmessage);
  if (result !== undefined) checkResult(operation, result);
  return { result, status, statusmessage };
}

function checkResult(operation: OperationName | '*', result: unknown): void {
  const element = operation === '*' ? undefined : (operations[operation] as Operation).response[0];
  if (!Array.isArray(result)) return checkContent('reply.result', result, element);
  if (element?.kind !== 'list') {
    throw new FieldError(
      'reply.result',
      operation === '*' ? 'not every operation returns a list' : `${operation} returns no list`,
    );
  }
  result.forEach((value, index) => {
    checkContent(`reply.result[${index}]`, value, element.item);
  });
}

/** @param element the element that the value is for, if it may be a record */
function checkContent(field: string, value: unknown, element?: Element): void {
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value) || element?.kind !== 'record') throw wrongField(field, value, 'a value');
    const known = records[element.record].map(({ name }) => name);
    checkFields(field, value, known);
    for (const [name, part] of Object.entries(value)) checkContent(fieldPath(field, name), part);
    return;
  }
  if (typeof value === 'function' || typeof value === 'symbol') throw wrongField(field, value, 'a value');
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new FieldError(field, 'a number beyond 2^53 loses digits: give a bigint or a string');
  }
}
