import type { BindingVersion, Extension, SoapAction } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { ExtensionCollector } from './extensions';
import { childrenOf, isTrue, labelOf, soapBindings, WSDL_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

export interface SoapBinding {
  readonly version: BindingVersion;
  readonly name: string;
  /** The operations by name. Only a wrong binding has several of one name. */
  readonly operations: ReadonlyMap<string, readonly XmlElement[]>;
  /** The extensions of all its operations. */
  readonly extensions: readonly Extension[];
  readonly element: XmlElement;
}

/** Reads a binding. Undefined for a binding to another protocol, such as HTTP GET. */
export function readBinding(element: XmlElement, problems: ContractProblems): SoapBinding | undefined {
  for (const version of ['1.1', '1.2'] as const) {
    const [soap] = childrenOf(element, soapBindings[version].namespace, 'binding');
    if (soap) return readSoapBinding(element, soap, version, problems);
  }
  return undefined;
}

function readSoapBinding(
  element: XmlElement,
  soap: XmlElement,
  version: BindingVersion,
  problems: ContractProblems,
): SoapBinding {
  const shared = new ExtensionCollector(problems);
  checkStyle(soap, version, shared);
  const transport = soap.attributes.get('transport') ?? '';
  if (!HTTP_TRANSPORTS.has(transport)) {
    shared.add(soap, `transport ${transport}`, 'the service has to offer SOAP over HTTP');
  }
  shared.addFrom(element, soapBindings[version].namespace);
  const operations = new Map<string, XmlElement[]>();
  for (const operation of childrenOf(element, WSDL_NAMESPACE, 'operation')) {
    const name = operation.attributes.get('name') ?? '';
    const known = operations.get(name);
    if (known) known.push(operation);
    else operations.set(name, [operation]);
  }
  const name = element.attributes.get('name') ?? '';
  return { version, name, operations, extensions: shared.extensions, element };
}

/** Reads an operation of a binding, without the extensions of the binding. */
export function readBoundOperation(element: XmlElement, version: BindingVersion, list: ExtensionCollector): SoapAction {
  const { namespace } = soapBindings[version];
  const [soap] = childrenOf(element, namespace, 'operation');
  if (soap) checkStyle(soap, version, list);
  if (soap && isTrue(soap.attributes.get('soapActionRequired'))) {
    const advice = 'the client sends no SOAPAction with SOAP 1.2; the service has to do without';
    list.add(soap, 'soapActionRequired="true"', advice, ['requests']);
  }
  for (const direction of element.children.filter(({ local }) => local === 'input' || local === 'output')) {
    checkContent(direction, version, list);
  }
  list.addFrom(element, namespace);
  return { text: soap?.attributes.get('soapAction') ?? '', place: soap ?? element };
}

function checkStyle(soap: XmlElement, version: BindingVersion, list: ExtensionCollector): void {
  const style = soap.attributes.get('style') ?? 'document';
  if (style === 'document') return;
  list.add(soap, `${soapBindings[version].prefix}:${soap.local} style="${style}"`, 'the service has to use "document"');
}

/** Checks the headers and the body of a request or a response. */
function checkContent(direction: XmlElement, version: BindingVersion, list: ExtensionCollector): void {
  const { namespace, prefix } = soapBindings[version];
  for (const child of direction.children.filter(({ uri }) => uri === namespace)) {
    const use = child.attributes.get('use') ?? 'literal';
    if (child.local === 'header') {
      const name = `${prefix}:header ${child.attributes.get('part') ?? ''}`.trim();
      const isInput = direction.local === 'input';
      const advice = isInput
        ? 'the client sends no SOAP headers; the service has to take an element of the request in its place'
        : 'the client reads no SOAP headers; remove it from this file';
      list.add(child, `${name} of ${direction.local}`, advice, isInput ? ['requests'] : []);
    } else if (child.local === 'body' && use !== 'literal') {
      list.add(child, `${prefix}:body use="${use}"`, 'the service has to use "literal"');
    }
  }
  list.addFrom(direction, namespace);
}

/**
 * Reports the parts of a message that a binding leaves out of the body.
 *
 * @param part the name of the message's only part
 */
export function checkBody(
  element: XmlElement,
  version: BindingVersion,
  local: 'input' | 'output',
  part: string,
  list: ExtensionCollector,
): void {
  const { namespace, prefix } = soapBindings[version];
  const [direction] = childrenOf(element, WSDL_NAMESPACE, local);
  const [body] = direction ? childrenOf(direction, namespace, 'body') : [];
  const parts = body?.attributes.get('parts');
  if (!body) {
    list.add(direction ?? element, `${local} of ${labelOf(element)} without ${prefix}:body`, 'add it');
  } else if (parts !== undefined && parts.trim() !== part) {
    list.add(body, `${prefix}:body parts="${parts}" of ${local}`, 'the service has to send all parts: remove it');
  }
}

const HTTP_TRANSPORTS = new Set([
  'http://schemas.xmlsoap.org/soap/http',
  'http://www.w3.org/2003/05/soap/bindings/HTTP/',
]);
