import type { BindingVersion, Feature } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { childrenOf, labelOf, type QName, readReference, soapBindings, WSDL_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** A binding of SOAP, and what it says of each operation. */
export interface SoapBinding {
  readonly version: BindingVersion;
  readonly name: string;
  readonly portType: QName | undefined;
  readonly operations: ReadonlyMap<string, BoundOperation>;
  /** What the binding says of all its operations. */
  readonly features: readonly Feature[];
  readonly element: XmlElement;
}

export interface BoundOperation {
  readonly soapAction: string;
  /** Those of the binding excepted. */
  readonly features: readonly Feature[];
  readonly element: XmlElement;
}

/** @returns undefined for a binding of something else, such as HTTP GET */
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
  const { namespace, prefix } = soapBindings[version];
  const operations = new Map<string, BoundOperation>();
  const shared: Feature[] = [];
  const report = (features: Feature[], place: XmlElement, name: string, advice: string, breaks: Breaks): void => {
    problems.add('unsupported', place, `${name} is not supported: ${advice}`);
    features.push({ name, ...breaks });
  };
  const checkStyle = (features: Feature[], place: XmlElement): void => {
    const style = place.attributes.get('style') ?? 'document';
    if (style !== 'document')
      report(features, place, `${prefix}:${place.local} style="${style}"`, 'use "document"', BOTH);
  };
  const checkExtensions = (features: Feature[], parent: XmlElement): void => {
    for (const child of parent.children) {
      if (child.uri === WSDL_NAMESPACE || child.uri === namespace) continue;
      const requests = child.foreignAttributes.get(`{${WSDL_NAMESPACE}}required`) !== 'false';
      const name = `${child.local} ({${child.uri}})`;
      report(features, child, name, 'remove it', { requests, answers: false });
    }
  };
  const checkBody = (features: Feature[], direction: XmlElement): void => {
    for (const child of direction.children.filter(({ uri }) => uri === namespace)) {
      const use = child.attributes.get('use') ?? 'literal';
      const name = `${prefix}:${child.local} ${child.attributes.get('part') ?? ''}`.trim();
      if (child.local === 'header') {
        const advice = 'the client sends no SOAP headers; make it an element of the request';
        report(features, child, `${name} of ${direction.local}`, advice, {
          ...NEITHER,
          requests: direction.local === 'input',
        });
      } else if (child.local === 'body' && use !== 'literal') {
        report(features, child, `${prefix}:body use="${use}"`, 'use "literal"', BOTH);
      }
    }
    checkExtensions(features, direction);
  };

  checkStyle(shared, soap);
  const transport = soap.attributes.get('transport') ?? '';
  if (!HTTP_TRANSPORTS.has(transport)) report(shared, soap, `transport ${transport}`, 'use SOAP over HTTP', BOTH);
  checkExtensions(shared, element);
  for (const operation of childrenOf(element, WSDL_NAMESPACE, 'operation')) {
    const name = operation.attributes.get('name') ?? '';
    const features: Feature[] = [];
    const [soapOperation] = childrenOf(operation, namespace, 'operation');
    if (soapOperation) checkStyle(features, soapOperation);
    if (soapOperation?.attributes.get('soapActionRequired') === 'true') {
      const advice = 'the contract sends no SOAPAction with SOAP 1.2';
      report(features, soapOperation, 'soapActionRequired="true"', advice, { requests: true, answers: false });
    }
    for (const direction of operation.children.filter(({ local }) => local === 'input' || local === 'output')) {
      checkBody(features, direction);
    }
    checkExtensions(features, operation);
    if (operations.has(name))
      problems.add('broken', operation, `operation ${name} is bound twice in ${labelOf(element)}`);
    operations.set(name, {
      soapAction: soapOperation?.attributes.get('soapAction') ?? '',
      features,
      element: operation,
    });
  }
  return {
    version,
    name: element.attributes.get('name') ?? '',
    portType: readReference(element, 'type', problems),
    operations,
    features: distinct(shared),
    element,
  };
}

/** One of each name. */
export function distinct(features: readonly Feature[]): Feature[] {
  return [...new Map(features.map((feature) => [feature.name, feature])).values()];
}

type Breaks = Omit<Feature, 'name'>;
const BOTH: Breaks = { requests: true, answers: true };
const NEITHER: Breaks = { requests: false, answers: false };

const HTTP_TRANSPORTS = new Set([
  'http://schemas.xmlsoap.org/soap/http',
  'http://www.w3.org/2003/05/soap/bindings/HTTP/',
]);
