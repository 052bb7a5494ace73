import type { SoapVersion } from '../../types';
import { type Binding, type SoapAction, VERSIONS } from '../model/model';
import { ContractError } from '../model/problems';
import type { Definitions } from './definitions';
import { Scope } from './scope';
import { childrenOf, isTrue, labelOf, readName, soapBindings, WSDL_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** A binding to SOAP. */
export interface SoapBinding {
  readonly version: SoapVersion;
  readonly element: XmlElement;
  /** Its soap:binding. */
  readonly soap: XmlElement;
  /** Undefined when no service has a port for it. */
  readonly port: XmlElement | undefined;
}

/**
 * Chooses a portType and a binding of it for each SOAP version, 1.1 first, by the order of the ports.
 *
 * @param onlyOperations choose bindings of these operations, because a WSDL may describe other services too
 * @throws {ContractError} when nothing is bound to SOAP
 */
export function chooseBindings(
  definitions: Definitions,
  root: XmlElement,
  onlyOperations: ReadonlySet<string> | undefined,
): { readonly portType: XmlElement; readonly bindings: readonly SoapBinding[] } {
  const ports = readPorts(definitions);
  const elements = new Set([...ports.keys(), ...definitions.all('binding')]);
  const candidates = [...elements].flatMap((element) => soapBindingOf(element, ports.get(element)));
  const shared = candidates.filter(({ element }) =>
    operationsOf(element).some(({ attributes }) => onlyOperations?.has(attributes.get('name') ?? '')),
  );
  const usable = shared.length > 0 ? shared : candidates;
  const [first] = usable;
  const portType = first && definitions.find('portType', first.element, 'type');
  const bindings = VERSIONS.flatMap((version) => {
    const isBound = ({ element }: SoapBinding): boolean =>
      definitions.find('portType', element, 'type', 'refused') === portType;
    const found = portType && usable.find((candidate) => candidate.version === version && isBound(candidate));
    const text = `no binding for SOAP ${version}: the service has to offer both SOAP versions`;
    if (!found && (portType || !first)) root.report(portType ? 'refused' : 'broken', text);
    return found ?? [];
  });
  if (!portType) throw new ContractError(root.problems.sorted());
  const used = new Set([portType, ...bindings.map(({ element }) => element)]);
  for (const other of [...definitions.all('portType'), ...definitions.all('binding')]) {
    const rule = 'the client needs one portType, and a binding of it for each SOAP version; remove it from this file';
    if (!used.has(other)) other.report('refused', `${labelOf(other)} is not supported: ${rule}`);
  }
  return { portType, bindings };
}

/** Returns the first port of each binding. */
function readPorts(definitions: Definitions): Map<XmlElement, XmlElement> {
  const ports = new Map<XmlElement, XmlElement>();
  for (const port of definitions.all('service').flatMap((service) => childrenOf(service, WSDL_NAMESPACE, 'port'))) {
    readName(port, 'refused');
    const binding = definitions.find('binding', port, 'binding', 'refused');
    if (binding && !ports.has(binding)) ports.set(binding, port);
  }
  return ports;
}

/** Returns nothing for a binding to another protocol, such as HTTP GET. */
function soapBindingOf(element: XmlElement, port: XmlElement | undefined): SoapBinding[] {
  return VERSIONS.flatMap((version) =>
    childrenOf(element, soapBindings[version].namespace, 'binding').map((soap) => ({ version, element, soap, port })),
  ).slice(0, 1);
}

/** Returns the operations of a binding or a portType. */
export function operationsOf(parent: XmlElement): XmlElement[] {
  return childrenOf(parent, WSDL_NAMESPACE, 'operation');
}

export function readBinding({ version, element, soap, port }: SoapBinding, portType: XmlElement): Binding {
  if (!port) element.report('refused', `no service has a port for ${labelOf(element)}: add one`);
  const scope = new Scope();
  checkStyle(soap, version, scope);
  const transport = soap.attributes.get('transport') ?? '';
  if (!HTTP_TRANSPORTS.has(transport)) {
    scope.add(soap, `transport ${transport}`, 'the service has to offer SOAP over HTTP');
  }
  const { namespace } = soapBindings[version];
  for (const part of [element, portType, port?.parent, port]) if (part) scope.addFrom(part, namespace);
  const [address] = port ? childrenOf(port, namespace, 'address') : [];
  return {
    port: port?.attributes.get('name') ?? '',
    address: address?.attributes.get('location') ?? '',
    extensions: scope.extensions,
    place: address ?? port ?? element,
  };
}

const HTTP_TRANSPORTS = new Set([
  'http://schemas.xmlsoap.org/soap/http',
  'http://www.w3.org/2003/05/soap/bindings/HTTP/',
]);

/** Reads an operation of a binding, without the extensions of the binding. */
export function readBoundOperation(element: XmlElement, version: SoapVersion, scope: Scope): SoapAction {
  const { namespace } = soapBindings[version];
  const [soap] = childrenOf(element, namespace, 'operation');
  if (soap) checkStyle(soap, version, scope);
  if (soap && isTrue(soap.attributes.get('soapActionRequired'))) {
    const advice = 'the client sends no SOAPAction with SOAP 1.2; the service has to do without';
    scope.add(soap, 'soapActionRequired="true"', advice);
  }
  for (const direction of ['input', 'output'] as const) checkContent(element, direction, version, scope);
  scope.addFrom(element, namespace);
  return { text: soap?.attributes.get('soapAction') ?? '', place: soap ?? element };
}

function checkStyle(soap: XmlElement, version: SoapVersion, scope: Scope): void {
  const style = soap.attributes.get('style') ?? 'document';
  if (style === 'document') return;
  scope.add(
    soap,
    `${soapBindings[version].prefix}:${soap.local} style="${style}"`,
    'the service has to use "document"',
  );
}

/** Checks the headers and the body of a request or a response. */
function checkContent(operation: XmlElement, local: 'input' | 'output', version: SoapVersion, scope: Scope): void {
  const { namespace, prefix } = soapBindings[version];
  const sides = [local === 'input' ? 'requests' : 'responses'] as const;
  const [direction] = childrenOf(operation, WSDL_NAMESPACE, local);
  for (const header of direction ? childrenOf(direction, namespace, 'header') : []) {
    const name = `${prefix}:header ${header.attributes.get('part') ?? ''}`.trim();
    const isSent = local === 'input';
    const advice = isSent
      ? 'the client sends no SOAP headers; the service has to take an element in its place'
      : 'the client reads no SOAP headers; remove it from this file';
    scope.add(header, `${name} of ${local}`, advice, isSent ? sides : []);
  }
  const [body] = direction ? childrenOf(direction, namespace, 'body') : [];
  const { use = 'literal', parts } = Object.fromEntries(body?.attributes ?? []);
  if (!body) {
    scope.add(direction ?? operation, `${local} of ${labelOf(operation)} without ${prefix}:body`, 'add it', sides);
  } else if (use !== 'literal') {
    scope.add(body, `${prefix}:body use="${use}"`, 'the service has to use "literal"', sides);
  } else if (parts === '') {
    scope.add(body, `${prefix}:body parts="" of ${local}`, 'the service has to send the part: remove it', sides);
  }
  if (direction) scope.addFrom(direction, namespace);
}
