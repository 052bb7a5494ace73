import { compareMessages } from './compare-messages';
import { type Difference, DifferenceList } from './differences';
import type { BindingVersion, Contract, ModelOperation } from './model';

/** Two contracts held against each other. */
export interface Comparison {
  readonly differences: readonly Difference[];
  /** Whether a difference breaks requests or answers. */
  readonly breaking: boolean;
  /** What to set to talk to the other service. */
  readonly settings: ServiceSettings;
}

export interface ServiceSettings {
  readonly namespace: string;
  /** Undefined when the address does not end as ours does: no setting leads there. */
  readonly baseUrl: string | undefined;
}

/**
 * What changes for a client that was built from one contract and meets a service of the other. A namespace or an address is
 * a setting, and no difference.
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
    list.add({
      where: `operation ${name}`,
      before: 'none',
      after: 'an operation',
      why: 'nothing calls it yet',
      operations: [name],
    });
  }
  const differences = list.sorted();
  const breaking = differences.some(({ requests, answers }) => requests === 'breaking' || answers === 'breaking');
  return { differences, breaking, settings };
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
    breaks: ['requests', 'answers', 'callers'],
    why: 'the service does not know it: each call fails',
    operations: [name],
  });
}

function compareBindings(before: Contract, after: Contract, list: DifferenceList): void {
  for (const version of Object.keys(before.bindings) as BindingVersion[]) {
    if (after.bindings[version]) continue;
    list.add({
      where: `binding of SOAP ${version}`,
      before: 'bound',
      after: 'none',
      breaks: ['requests'],
      why: `the service takes no SOAP ${version}: set another soapVersion`,
      operations: before.operations.map(({ name }) => name),
    });
  }
}

/** Both addresses are a base URL and a path that the client adds by itself. */
function compareAddresses(before: Contract, after: Contract, list: DifferenceList): string | undefined {
  const path = new URL(addressOf(before)).pathname;
  const address = addressOf(after);
  // A provider's own WSDL may say where it is in any case; one that does not say is no reason to fail.
  if (address === '' || address.endsWith(path)) return address === '' ? undefined : address.slice(0, -path.length);
  list.add({
    where: 'address',
    before: `{baseUrl}${path}`,
    after: address,
    breaks: ['requests'],
    why: `the client posts to {baseUrl}${path} only`,
    operations: before.operations.map(({ name }) => name),
  });
  return undefined;
}

function addressOf({ bindings }: Contract): string {
  return bindings['1.1']?.address || bindings['1.2']?.address || '';
}

function compareOperations(
  before: Contract,
  after: Contract,
  operation: ModelOperation,
  other: ModelOperation,
  list: DifferenceList,
): void {
  const { name } = operation;
  for (const version of Object.keys(other.soapActions) as BindingVersion[]) {
    const [ours, theirs] = [relativeAction(operation, before, version), relativeAction(other, after, version)];
    if (ours === undefined || ours === theirs) continue;
    list.add({
      where: `soapAction of ${name} (SOAP ${version})`,
      before: ours,
      after: theirs ?? 'none',
      breaks: version === '1.1' ? ['requests'] : [],
      why:
        version === '1.1'
          ? 'the client sends the namespace and the operation, joined, as SOAPAction'
          : 'the client sends no SOAPAction with SOAP 1.2',
      operations: [name],
    });
  }
  for (const version of Object.keys(operation.soapActions) as BindingVersion[]) {
    if (!after.bindings[version] || other.soapActions[version] !== undefined) continue;
    list.add({
      where: `operation ${name} in the binding of SOAP ${version}`,
      before: 'bound',
      after: 'none',
      breaks: ['requests'],
      why: `the service does not take it with SOAP ${version}`,
      operations: [name],
    });
  }
  compareMessages(name, operation, other, list);
}

function relativeAction(
  { soapActions }: ModelOperation,
  { namespace }: Contract,
  version: BindingVersion,
): string | undefined {
  const action = soapActions[version];
  return action?.startsWith(namespace) ? `{namespace}${action.slice(namespace.length)}` : action;
}
