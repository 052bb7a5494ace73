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
 * Chooses the bindings of one portType. If one service has ports for both bindings, chooses these. A WSDL may describe several
 * portTypes and services.
 */
function chooseBindings(
  all: readonly SoapBinding[],
  ports: readonly Port[],
  ours: Contract | undefined,
): SoapBinding[] {
  // Of several ports of a binding, the first one counts.
  const services = new Map(ports.toReversed().map(({ binding, service }) => [binding, service]));
  const names = ours?.operations.map(({ name }) => name) ?? [];
  const shared = ({ operations }: SoapBinding): number => names.filter((name) => operations.has(name)).length;
  const hasPort = ({ element }: SoapBinding): number => Number(services.has(element));
  const byVersion = VERSIONS.map((version) => all.filter((binding) => binding.version === version));
  const best = highest(byVersion.flat(), (binding) => [shared(binding), hasPort(binding)]);
  if (!best) return [];
  const isBeside = ({ element }: SoapBinding): number => Number(services.get(element) === services.get(best.element));
  return byVersion.flatMap((bindings) => {
    const rank = (binding: SoapBinding): number[] => [
      Number(hasSamePortType(binding, best)),
      shared(binding),
      hasPort(binding),
      isBeside(binding),
    ];
    const found = highest(bindings, rank);
    const isOther = found && !hasSamePortType(found, best) && shared(found) === 0 && shared(best) > 0;
    return found && !isOther ? found : [];
  });
}

/** Finds the first item with the highest rank. The first number of a rank counts most. */
function highest<T>(items: readonly T[], rank: (item: T) => readonly number[]): T | undefined {
  let best: { readonly item: T; readonly rank: readonly number[] } | undefined;
  for (const item of items) {
    const own = rank(item);
    const index = best ? own.findIndex((number, at) => number !== best?.rank[at]) : 0;
    if (!best || (index >= 0 && (own[index] as number) > (best.rank[index] as number))) best = { item, rank: own };
  }
  return best?.item;
}

export function hasSamePortType({ portType: a }: SoapBinding, { portType: b }: SoapBinding): boolean {
  return a !== undefined && b !== undefined && keyOf(a) === keyOf(b);
}
