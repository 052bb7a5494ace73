import type { Contract } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { readBinding, type SoapBinding } from './bindings';
import type { Definitions } from './definitions';
import { childrenOf, keyOf, labelOf, readName, WSDL_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** A port of a service, and its binding. */
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
  const found = chooseBindings(all, ports, ours);
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

/**
 * Chooses the bindings of one portType. A WSDL may describe several portTypes and services, so the binding that has most of our
 * operations decides. A binding with a port is preferred, and then a binding of the same service.
 */
function chooseBindings(
  all: readonly SoapBinding[],
  ports: readonly Port[],
  ours: Contract | undefined,
): SoapBinding[] {
  // The first port of a binding counts.
  const services = new Map(ports.toReversed().map(({ binding, service }) => [binding, service]));
  const names = ours?.operations.map(({ name }) => name) ?? [];
  const shared = ({ operations }: SoapBinding): number => names.filter((name) => operations.has(name)).length;
  const rank = (binding: SoapBinding): number => 2 * shared(binding) + Number(services.has(binding.element));
  const byVersion = VERSIONS.map((version) => all.filter((binding) => binding.version === version));
  const best = highest(byVersion.flat(), rank);
  if (!best) return [];
  return byVersion.flatMap((bindings) => {
    const same = bindings.filter((binding) => hasSamePortType(binding, best));
    const isBeside = ({ element }: SoapBinding) => Number(services.get(element) === services.get(best.element));
    const found = highest(same.length > 0 ? same : bindings, (binding) => 2 * rank(binding) + isBeside(binding));
    // Without one of our operations, the binding describes another service, not this service in another version.
    const isOther = found && same.length === 0 && shared(found) === 0 && shared(best) > 0;
    return found && !isOther ? found : [];
  });
}

/** Finds the first item with the highest rank. */
function highest<T>(items: readonly T[], rank: (item: T) => number): T | undefined {
  const ranks = items.map(rank);
  return items[ranks.indexOf(ranks.reduce((a, b) => Math.max(a, b), 0))];
}

export function hasSamePortType({ portType: a }: SoapBinding, { portType: b }: SoapBinding): boolean {
  return a !== undefined && b !== undefined && keyOf(a) === keyOf(b);
}
