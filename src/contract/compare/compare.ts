import { type BindingVersion, BOTH_SIDES, type Contract, type ModelOperation } from '../model/model';
import { compareAddresses } from './addresses';
import { type Difference, DifferenceList, isBreaking, type Side } from './differences';
import { addExtensions, compareMessages } from './messages';

/** The differences between two contracts. */
export interface Comparison {
  readonly differences: readonly Difference[];
  /** True when a difference breaks requests or responses. */
  readonly breaking: boolean;
  /** The settings for the other service. */
  readonly settings: ServiceSettings;
}

export interface ServiceSettings {
  readonly namespace: string;
  /** Undefined when no base URL leads to an address of the service. */
  readonly baseUrl: string | undefined;
}

/**
 * Says what changes for a client that was built from one contract and calls a service with the other contract. A
 * namespace or an address is a setting and not a difference.
 *
 * @param before a contract that the generator accepts
 */
export function compareContracts(before: Contract, after: Contract): Comparison {
  const list = new DifferenceList();
  const settings = { namespace: after.namespace, baseUrl: compareAddresses(before, after, list) };
  compareBindings(before, after, list);
  const others = new Map(after.operations.map((operation) => [operation.name, operation]));
  for (const operation of before.operations) {
    const other = others.get(operation.name);
    if (other) compareOperations(before, after, operation, other, list);
    else addRemovedOperation(operation, others, list);
    others.delete(operation.name);
  }
  for (const { name } of others.values()) {
    const where = `operation ${name}`;
    const why = 'nothing calls it yet';
    list.add({ where, before: 'none', after: 'an operation', breaks: [], why, operations: [name] });
  }
  const differences = list.sorted();
  return { differences, breaking: differences.some(isBreaking), settings };
}

function addRemovedOperation(
  { name }: ModelOperation,
  others: ReadonlyMap<string, ModelOperation>,
  list: DifferenceList,
): void {
  const alike = [...others.keys()].find((other) => other.toLowerCase() === name.toLowerCase());
  list.add({
    where: `operation ${name}`,
    before: 'an operation',
    after: alike === undefined ? 'none' : `none (but ${alike})`,
    breaks: [...BOTH_SIDES, 'callers'],
    why: 'the service does not know it: each call fails',
    operations: [name],
  });
}

function compareBindings(before: Contract, after: Contract, list: DifferenceList): void {
  const operations = before.operations.map(({ name }) => name);
  for (const version of VERSIONS) {
    const binding = after.bindings[version];
    if (binding?.port) continue;
    list.add({
      where: `binding of SOAP ${version}`,
      before: 'bound',
      after: binding ? 'no port' : 'none',
      breaks: ['requests'],
      why: `the service takes no SOAP ${version}: set another soapVersion`,
      operations,
    });
  }
  const names = new Set(after.operations.map(({ name }) => name));
  const kept = operations.filter((name) => names.has(name));
  for (const version of VERSIONS) {
    const place = { where: `binding of SOAP ${version}`, operations: kept };
    addExtensions(place, after.bindings[version]?.extensions ?? [], list);
  }
}

const VERSIONS: readonly BindingVersion[] = ['1.1', '1.2'];

function compareOperations(
  before: Contract,
  after: Contract,
  operation: ModelOperation,
  other: ModelOperation,
  list: DifferenceList,
): void {
  const { name } = operation;
  for (const version of VERSIONS) {
    if (!after.bindings[version]) continue;
    const [ours, theirs] = [relativeAction(operation, before, version), relativeAction(other, after, version)];
    if (theirs === undefined) {
      list.add({
        where: `operation ${name} in the binding of SOAP ${version}`,
        before: 'bound',
        after: 'none',
        breaks: ['requests'],
        why: `the service does not take it with SOAP ${version}`,
        operations: [name],
      });
    } else if (ours !== theirs) {
      const where = `soapAction of ${name} (SOAP ${version})`;
      const [breaks, why]: readonly [readonly Side[], string] =
        version === '1.1'
          ? [['requests'], 'the client sends the namespace and the operation, joined, as SOAPAction']
          : [[], 'the client sends no SOAPAction with SOAP 1.2'];
      list.add({ where, before: ours ?? 'none', after: theirs || 'none', breaks, why, operations: [name] });
    }
  }
  compareMessages(operation, other, list);
}

function relativeAction(
  { soapActions }: ModelOperation,
  { namespace }: Contract,
  version: BindingVersion,
): string | undefined {
  const action = soapActions[version]?.text;
  return action?.startsWith(namespace) ? `{namespace}${action.slice(namespace.length)}` : action;
}
