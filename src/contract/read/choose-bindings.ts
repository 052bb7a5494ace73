import type { Contract } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { readBinding, type SoapBinding } from './bindings';
import type { Definitions } from './definitions';
import { childrenOf, labelOf, readName, WSDL_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

export interface Port {
  readonly service: XmlElement;
  readonly element: XmlElement;
  readonly binding: XmlElement | undefined;
}

export function readPorts(definitions: Definitions, problems: ContractProblems): Port[] {
  return definitions.all('service').flatMap((service) =>
    childrenOf(service, WSDL_NAMESPACE, 'port').map((element) => {
      readName(element, problems, 'refused');
      return { service, element, binding: definitions.find('binding', element, 'binding', 'refused') };
    }),
  );
}

/** Reads the bindings to SOAP and chooses one of each version, 1.1 first. */
export function readBindings(
  definitions: Definitions,
  root: XmlElement,
  ports: readonly Port[],
  ours: Contract | undefined,
  problems: ContractProblems,
): SoapBinding[] {
  const all: SoapBinding[] = [];
  for (const element of definitions.all('binding')) {
    const binding = readBinding(element, problems);
    const other = `${labelOf(element)} is not SOAP: remove it, its portType, messages and port from this file`;
    if (binding) all.push(binding);
    else problems.add('refused', element, other);
  }
  const candidates = orderByPort(all, ports);
  // A WSDL may describe other services too.
  const shared = candidates.filter(({ operations }) => ours?.operations.some(({ name }) => operations.has(name)));
  const usable = shared.length > 0 ? shared : candidates;
  const found = VERSIONS.flatMap((version) => usable.find((binding) => binding.version === version) ?? []);
  for (const version of VERSIONS) {
    const chosen = found.find((binding) => binding.version === version);
    const text = `no binding for SOAP ${version}: the service has to offer both SOAP versions`;
    if (!chosen) problems.add(found.length ? 'refused' : 'broken', root, text);
    for (const { element, version: other } of chosen ? all : []) {
      const second = `a second binding for SOAP ${version}, beside ${chosen?.name}, is not supported: remove one from this file`;
      if (other === version && element !== chosen?.element) problems.add('refused', element, second);
    }
  }
  return found;
}

const VERSIONS = ['1.1', '1.2'] as const;

/** Returns the bindings in the order of their ports, and then the bindings without a port. */
function orderByPort(all: readonly SoapBinding[], ports: readonly Port[]): SoapBinding[] {
  const byElement = new Map(all.map((binding) => [binding.element, binding]));
  const withPort = ports.flatMap(({ binding }) => (binding && byElement.get(binding)) ?? []);
  return [...new Set([...withPort, ...all])];
}
