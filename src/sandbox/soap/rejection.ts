import type { ValueElement } from '../../soap/values';
import type { SoapVersion } from '../../types';
import { collapse } from '../../xml/integers';
import { type FaultContent, type GivenResponse, soapResponse, writeFault } from './fault';

/** A request cannot be carried out. Reading a request throws no other error. */
export class Rejection extends Error {
  constructor(readonly given: GivenResponse) {
    super(given.summary);
  }
}

// ASMX sends another Cache-Control when it refuses a request unread. The words are those of .NET.

export function faultRejection(
  version: SoapVersion,
  code: string,
  reason: string,
  others: Pick<FaultContent, 'detail' | 'upgrade'> = {},
): Rejection {
  const body = writeFault(version, { code, reason, ...others });
  return new Rejection({ response: soapResponse(500, version, body, 'private'), summary: `fault ${code}` });
}

export function badRequest(version: SoapVersion): Rejection {
  return new Rejection({ response: soapResponse(400, version, '', 'private'), summary: 'HTTP 400' });
}

export function unsupportedMediaType(): Rejection {
  const headers = { 'Cache-Control': 'private' };
  return new Rejection({ response: { status: 415, headers, body: '' }, summary: 'HTTP 415' });
}

export function unknownOperation(version: SoapVersion): Rejection {
  const reason = 'Unable to handle request without a valid action parameter. Please supply a valid soap action.';
  return faultRejection(version, 'Client', reason);
}

/** Says why a text is not of the element's type. */
export function valueProblem(element: ValueElement, text: string): string {
  const digits = collapse(text).replace(/^[+-]/, '');
  return element.kind === 'integer' && digits !== '' && !/[^0-9]/.test(digits)
    ? `Value was either too large or too small for an ${systemTypes[element.type]}.`
    : 'Input string was not in a correct format.';
}

/** .NET's names of the integer types. */
const systemTypes = { short: 'Int16', int: 'Int32', long: 'Int64' } as const;
