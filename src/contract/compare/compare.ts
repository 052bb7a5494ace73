import type { BindingVersion, Contract, ModelOperation } from '../model/model';
import { distinct } from '../read/bindings';
import { type Difference, DifferenceList } from './differences';
import { compareFeatures, compareMessages } from './messages';

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
  /** Undefined when no address ends as ours does: no setting leads there. */
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
  compareBindingFeatures(before, after, list);
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
  for (const version of versionsOf(before)) {
    const binding = after.bindings[version];
    if (binding?.port) continue;
    list.add({
      where: `binding of SOAP ${version}`,
      before: 'bound',
      after: binding ? 'no port' : 'none',
      breaks: ['requests'],
      why: `the service takes no SOAP ${version}: set another soapVersion`,
      operations: before.operations.map(({ name }) => name),
    });
  }
}

/** What a binding says once stands for all its operations. */
function compareBindingFeatures(before: Contract, after: Contract, list: DifferenceList): void {
  const kept = new Set(after.operations.map(({ name }) => name));
  const operations = before.operations.flatMap(({ name }) => (kept.has(name) ? name : []));
  const featuresOf = ({ bindings }: Contract) => distinct(Object.values(bindings).flatMap(({ features }) => features));
  compareFeatures(operations, featuresOf(before), featuresOf(after), list);
}

/** Both contracts' addresses are a base URL and a path that the client adds by itself. All versions have to be at one base URL. */
function compareAddresses(before: Contract, after: Contract, list: DifferenceList): string | undefined {
  const ours = versionsOf(before).map((version) => addressOf(before, version));
  const path = new URL(ours.find(Boolean) ?? '').pathname;
  // A provider's own WSDL may say where it is in any case; a port that does not say is no reason to fail.
  const addresses = versionsOf(before).flatMap((version) => {
    const address = addressOf(after, version);
    return address === '' ? [] : { version, address, baseUrl: baseUrlOf(address, path) };
  });
  const baseUrl = addresses.find((address) => address.baseUrl !== undefined)?.baseUrl;
  const isOne = new Set(addresses.map(({ address }) => address)).size === 1;
  for (const { version, address, baseUrl: own } of addresses) {
    if (own !== undefined && isSameUrl(own, baseUrl as string)) continue;
    list.add({
      where: isOne ? 'address' : `address (SOAP ${version})`,
      before: `${baseUrl ?? '{baseUrl}'}${path}`,
      after: address,
      breaks: ['requests'],
      why: own === undefined ? `the client posts to {baseUrl}${path} only` : 'the client has one base URL',
      operations: before.operations.map(({ name }) => name),
    });
  }
  return baseUrl;
}

function baseUrlOf(address: string, path: string): string | undefined {
  return address.endsWith(path) ? address.slice(0, -path.length) : undefined;
}

/** Hosts may be written in any case, and with or without the usual port. */
function isSameUrl(a: string, b: string): boolean {
  const normalize = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);
  return normalize(a) === normalize(b);
}

function addressOf({ bindings }: Contract, version: BindingVersion): string {
  return bindings[version]?.address ?? '';
}

function versionsOf({ bindings }: Contract): BindingVersion[] {
  return Object.keys(bindings) as BindingVersion[];
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
