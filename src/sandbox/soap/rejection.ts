import type { ValueElement } from '../../soap/values';
import { soapVersions } from '../../soap/versions';
import type { SoapVersion } from '../../types';
import { collapse } from '../../xml/integers';
import type { HttpResponse } from '../http';
import { soapResponse } from './envelope';
import { type SandboxFault, writeFault } from './write-fault';

/** The response to a request that cannot be carried out. Reading a request throws no other error. */
export class Rejection extends Error {
  constructor(
    readonly response: HttpResponse,
    readonly fault?: SandboxFault,
  ) {
    super(fault?.reason ?? `HTTP status ${response.status}`);
    this.name = 'Rejection';
  }
}

/** @param upgrade lists the supported SOAP versions in a header */
export function faultRejection(version: SoapVersion, fault: SandboxFault, upgrade = false): Rejection {
  return new Rejection(soapResponse(500, version, writeFault(version, fault, upgrade), 'private'), fault);
}

// The words of .NET for each kind of bad request.

export function badRequest(version: SoapVersion): Rejection {
  return new Rejection(soapResponse(400, version, '', 'private'));
}

export function unsupportedMediaType(): Rejection {
  return new Rejection({ status: 415, headers: { 'Cache-Control': 'private' }, body: '' });
}

export function unknownSoapAction(action: string): Rejection {
  const reason = `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`;
  return faultRejection('1.1', { code: 'Client', reason });
}

export function unknownOperation(version: SoapVersion): Rejection {
  const reason = 'Unable to handle request without a valid action parameter. Please supply a valid soap action.';
  return faultRejection(version, { code: 'Client', reason });
}

export function unknownEnvelope(namespace: string): Rejection {
  const reason = `Possible SOAP version mismatch: Envelope namespace ${namespace} was unexpected. Expecting ${soapVersions['1.1'].namespace}.`;
  return faultRejection('1.1', { code: 'VersionMismatch', reason }, true);
}

export function missingBody(version: SoapVersion): Rejection {
  const [code, what] = version === '1.1' ? ['Client', 'read'] : ['Server', 'process'];
  const reason = `Server was unable to ${what} request. ---> Request format is invalid: Missing required soap:Body element.`;
  return faultRejection(version, { code, reason });
}

export function headerNotUnderstood(version: SoapVersion, name: string): Rejection {
  const reason = `SOAP header ${name} was not understood.`;
  return faultRejection(version, { code: 'MustUnderstand', reason, detail: null });
}

/** ASMX must look into the envelope for the operation, and reports a syntax error there as a fault of SOAP 1.2. */
export function unreadableEnvelope(why: string): Rejection {
  return faultRejection('1.2', { code: 'Server', reason: `Server was unable to process request. ---> ${why}` });
}

/** @param text is not of the element's type */
export function unreadableArgument(
  version: SoapVersion,
  line: number,
  column: number,
  element: ValueElement,
  text: string,
): Rejection {
  const where = `There is an error in XML document (${line}, ${column}).`;
  const reason = `Server was unable to read request. ---> ${where} ---> ${valueProblem(element, text)}`;
  return faultRejection(version, { code: 'Client', reason });
}

function valueProblem(element: ValueElement, text: string): string {
  if (element.kind === 'enumeration') return `Instance validation error: '${text}' is not a valid value.`;
  const token = collapse(text);
  if (element.kind === 'boolean') return `The string '${token}' is not a valid Boolean value.`;
  // Two patterns: with a single one, V8's backtracking overflows the stack on megabytes of digits.
  const isNumber = /^[+-]?[0-9]/.test(token) && !/[^0-9]/.test(token.slice(1));
  return element.kind === 'integer' && isNumber
    ? `Value was either too large or too small for an ${systemTypes[element.type]}.`
    : 'Input string was not in a correct format.';
}

/** .NET's names of the integer types. */
const systemTypes = { short: 'Int16', int: 'Int32', long: 'Int64' } as const;
