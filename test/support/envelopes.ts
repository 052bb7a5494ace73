import { type OperationName, operations } from '../../generated/operations';
import type { SoapVersion } from '../../src';
import type { Element } from '../../src/soap/element';

export const NAMESPACE = 'http://messaging.example/';
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
export const XSD = 'http://www.w3.org/2001/XMLSchema';
export const VERSIONS: readonly SoapVersion[] = ['1.1', '1.2'];

export const ENVELOPE_NAMESPACES: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};
/** Of requests, by the contract (section 4, rules 3 and 4). */
export const PREFIXES: Readonly<Record<SoapVersion, string>> = { '1.1': 'soap', '1.2': 'soap12' };
export const CONTENT_TYPES: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'text/xml; charset=utf-8',
  '1.2': 'application/soap+xml; charset=utf-8',
};

/** An envelope as an ASP.NET service writes it. */
export function envelope(body: string, version: SoapVersion = '1.1'): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${ENVELOPE_NAMESPACES[version]}" ` +
    `xmlns:xsi="${XSI}" xmlns:xsd="${XSD}"><soap:Body>${body}</soap:Body></soap:Envelope>`
  );
}

/** The envelope of an operation's response with this content. */
export function responseEnvelope(operation: OperationName, content: string, version?: SoapVersion): string {
  return envelope(`<${operation}Response xmlns="${NAMESPACE}">${content}</${operation}Response>`, version);
}

/**
 * The response of an operation, around the XML inside its result element; without a result element when that is
 * undefined.
 */
export function responseOf(
  operation: OperationName,
  result: string | undefined,
  { status = 200, statusmessage = 'ok', version = '1.1' as SoapVersion } = {},
): string {
  const element = result === undefined ? '' : `<${operation}Result>${result}</${operation}Result>`;
  const content = `${element}<status>${status}</status><statusmessage>${statusmessage}</statusmessage>`;
  return responseEnvelope(operation, content, version);
}

/** The response to `remainCredit`. */
export function credit(value: bigint | number, version?: SoapVersion): string {
  return responseOf('RemainCreditByApiKey', String(value), version && { version });
}

/** A fault in the form of its SOAP version. */
export function faultOf(code: string, reason: string, detail: string, version: SoapVersion): string {
  return envelope(
    version === '1.1'
      ? `<soap:Fault><faultcode>soap:${code}</faultcode><faultstring>${reason}</faultstring>` +
          `<detail>${detail}</detail></soap:Fault>`
      : `<soap:Fault><soap:Code><soap:Value>soap:${code}</soap:Value></soap:Code><soap:Reason>` +
          `<soap:Text xml:lang="en">${reason}</soap:Text></soap:Reason><soap:Detail>${detail}</soap:Detail></soap:Fault>`,
    version,
  );
}

/** One record of a list of sent messages. */
export function sentRecord(id: number): string {
  return (
    `<ApiSelect><messageid>${id}</messageid><message>text ${id}</message><status>1</status>` +
    '<statustext>sent</statustext><sender>3000</sender><receptor>09120000001</receptor><date>1700000000</date>' +
    '<cost>120</cost></ApiSelect>'
  );
}

export function sentRecords(first: number, count: number): string {
  return Array.from({ length: count }, (_, index) => sentRecord(first + index)).join('');
}

/** One record of a list of received messages. */
export function receivedRecord(id: number): string {
  return (
    `<ApiReceive><messageid>${id}</messageid><message>text ${id}</message><sender>09120000001</sender>` +
    '<receptor>3000</receptor><date>1700000000</date></ApiReceive>'
  );
}

/** An envelope as the contract has it for requests, around any body. */
export function requestEnvelope(version: SoapVersion, body: string, header = ''): string {
  const prefix = PREFIXES[version];
  return (
    `<?xml version="1.0" encoding="utf-8"?><${prefix}:Envelope xmlns:xsi="${XSI}" xmlns:xsd="${XSD}"` +
    ` xmlns:${prefix}="${ENVELOPE_NAMESPACES[version]}">${header}` +
    `<${prefix}:Body>${body}</${prefix}:Body></${prefix}:Envelope>`
  );
}

/** The element of an operation, with the children of its request. */
export function operationElement(operation: string, children: string, namespace = NAMESPACE): string {
  return `<${operation} xmlns="${namespace}">${children}</${operation}>`;
}

/**
 * The elements of an operation's request in the contract's order, each with the value for its kind. A list has one
 * item.
 *
 * @param afterItem gives what follows the item of a list, by the name of the item
 */
export function requestChildren(
  operation: OperationName,
  values: { readonly key: string; readonly text: string; readonly number: string },
  afterItem: (item: string) => string = () => '',
): string[] {
  return operations[operation].request.map((element: Element) => {
    const { kind } = element.kind === 'list' ? element.item : element;
    const value = element.name === 'apikey' ? values.key : kind === 'text' ? values.text : values.number;
    const content =
      element.kind === 'list' ? `${tagged(element.item.name, value)}${afterItem(element.item.name)}` : value;
    return tagged(element.name, content);
  });
}

function tagged(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** The headers of a request as the contract has them. */
export function requestHeaders(version: SoapVersion, operation: string): Record<string, string> {
  return {
    'Content-Type': CONTENT_TYPES[version],
    ...(version === '1.1' ? { SOAPAction: `"${NAMESPACE}${operation}"` } : {}),
  };
}
