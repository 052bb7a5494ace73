import type { ValueElement } from '../../soap/values';
import { soapVersions } from '../../soap/versions';
import type { SoapVersion } from '../../types';
import { collapse } from '../../xml/integers';
import { envelopes, escapeResponse } from './envelope';
import { type GivenResponse, soapResponse } from './response';

/** The content of a fault. */
interface FaultContent {
  readonly code: string;
  readonly reason: string;
  readonly actor?: string;
  /** XML. Null leaves the element out, as the fault of a header requires. */
  readonly detail?: string | null;
  /** True adds a header with the supported versions. */
  readonly upgrade?: true;
}

export function faultResponse(version: SoapVersion, fault: FaultContent): GivenResponse {
  return {
    response: soapResponse(500, version, writeFault(version, fault)),
    summary: `fault ${fault.code}`,
    reason: fault.reason,
  };
}

/** A request cannot be carried out. Reading a request throws no other error. */
export class FaultRejection extends Error {
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
): FaultRejection {
  const body = writeFault(version, { code, reason, ...others });
  return new FaultRejection({
    response: soapResponse(500, version, body, 'private'),
    summary: `fault ${code}`,
    reason,
  });
}

export function badRequest(version: SoapVersion): FaultRejection {
  return new FaultRejection({ response: soapResponse(400, version, '', 'private'), summary: 'HTTP 400' });
}

export function unsupportedMediaType(): FaultRejection {
  const headers = { 'Cache-Control': 'private' };
  return new FaultRejection({ response: { status: 415, headers, body: '' }, summary: 'HTTP 415' });
}

export function unknownOperation(version: SoapVersion): FaultRejection {
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

/** The fault codes that SOAP 1.2 renamed. */
const newCodes: Readonly<Record<string, string>> = { Client: 'Sender', Server: 'Receiver' };
const oldCodes: Readonly<Record<string, string>> = { Sender: 'Client', Receiver: 'Server' };

function writeFault(version: SoapVersion, fault: FaultContent): string {
  const { actor, detail, upgrade } = fault;
  const { open, close } = envelopes[version];
  const { prefix } = soapVersions[version];
  const code = escapeResponse((version === '1.2' ? newCodes : oldCodes)[fault.code] ?? fault.code);
  const reason = escapeResponse(fault.reason);
  const content =
    version === '1.1'
      ? `<faultcode>${prefix}:${code}</faultcode><faultstring>${reason}</faultstring>` +
        actorElement('faultactor', actor) +
        detailElement('detail', detail)
      : `<${prefix}:Code><${prefix}:Value>${prefix}:${code}</${prefix}:Value></${prefix}:Code>` +
        `<${prefix}:Reason><${prefix}:Text xml:lang="en">${reason}</${prefix}:Text></${prefix}:Reason>` +
        actorElement(`${prefix}:Node`, actor) +
        // ASMX writes a detail that the service gave unqualified in SOAP 1.2 too.
        detailElement(detail ? 'detail' : `${prefix}:Detail`, detail);
  const head = upgrade ? open.replace('<soap:Body>', `${upgradeHeader}$&`) : open;
  return `${head}<${prefix}:Fault>${content}</${prefix}:Fault>${close}`;
}

const upgradeHeader =
  `<soap:Header><soap12:Upgrade xmlns:soap12="${soapVersions['1.2'].namespace}">` +
  '<soap12:SupportedEnvelope qname="soap:Envelope" /><soap12:SupportedEnvelope qname="soap12:Envelope" />' +
  '</soap12:Upgrade></soap:Header>';

function actorElement(name: string, actor: string | undefined): string {
  return actor === undefined ? '' : `<${name}>${escapeResponse(actor)}</${name}>`;
}

function detailElement(name: string, xml: string | null | undefined): string {
  if (xml === null) return '';
  return xml ? `<${name}>${xml}</${name}>` : `<${name} />`;
}
