import { BOTH_SIDES, type Contract, type ModelOperation, splitAddress, VERSIONS } from '../model/model';
import { type Difference, DifferenceList, isBreaking } from './differences';
import { addExtensions, compareMessages } from './messages';

/** The differences between two contracts. */
export interface Comparison {
  readonly differences: readonly Difference[];
  /** True when a difference breaks requests or responses. */
  readonly breaking: boolean;
  /** The settings for the other service. */
  readonly settings: {
    readonly namespace: string;
    /** Undefined when no base URL leads to an address of the service. */
    readonly baseUrl: string | undefined;
  };
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
    else addRemovedOperation(operation.name, others.keys(), list);
    others.delete(operation.name);
  }
  for (const name of others.keys()) {
    list.add({ where: `operation ${name}`, operations: [name] }, 'none', 'an operation', [], 'nothing calls it yet');
  }
  const differences = list.sorted();
  return { differences, breaking: differences.some(isBreaking), settings };
}

/**
 * Compares the addresses of two contracts. The client posts to a base URL followed by a path. The base URL is a
 * setting, and the path is fixed. All SOAP versions have to be at the same base URL.
 *
 * @returns the base URL of the other contract; undefined when no base URL leads to one of its addresses
 */
function compareAddresses(before: Contract, after: Contract, list: DifferenceList): string | undefined {
  const path = splitAddress(before.bindings['1.1']?.address ?? '')?.path ?? '';
  const addresses = VERSIONS.flatMap((version) => {
    const address = after.bindings[version]?.address;
    // A port without an address is allowed.
    return address ? { version, address, own: baseUrlOf(address, path) } : [];
  });
  const baseUrl = addresses.find(({ own }) => own !== undefined)?.own;
  const isOne = new Set(addresses.map(({ address }) => address)).size === 1;
  const operations = before.operations.map(({ name }) => name);
  for (const { version, address, own } of addresses) {
    // Two URLs may differ in the case of the host, or in the usual port, only.
    if (own !== undefined && baseUrl !== undefined && new URL(own).href === new URL(baseUrl).href) continue;
    const place = { where: isOne ? 'address' : `address (SOAP ${version})`, operations };
    const why = own === undefined ? `the client posts to {baseUrl}${path} only` : 'the client has one base URL';
    list.add(place, `${baseUrl ?? '{baseUrl}'}${path}`, address, ['requests'], why);
  }
  return baseUrl;
}

/** Returns the base URL of an address; undefined when the client can reach the address with no base URL. */
function baseUrlOf(address: string, path: string): string | undefined {
  const base = address.endsWith(path) ? address.slice(0, address.length - path.length) : '';
  return splitAddress(base) && !/[?#]/.test(base) ? base : undefined;
}

function compareBindings(before: Contract, after: Contract, list: DifferenceList): void {
  const names = new Set(after.operations.map(({ name }) => name));
  const operations = before.operations.map(({ name }) => name);
  const kept = operations.filter((name) => names.has(name));
  for (const version of VERSIONS) {
    const binding = after.bindings[version];
    const where = `binding of SOAP ${version}`;
    const why = `the service takes no SOAP ${version}: set another soapVersion`;
    if (!binding?.port) list.add({ where, operations }, 'bound', binding ? 'no port' : 'none', ['requests'], why);
    addExtensions({ where, operations: kept }, binding?.extensions ?? [], list);
  }
}

function addRemovedOperation(name: string, others: Iterable<string>, list: DifferenceList): void {
  const alike = [...others].find((other) => other.toLowerCase() === name.toLowerCase());
  const after = alike === undefined ? 'none' : `none (but ${alike})`;
  const why = 'the service does not know it: each call fails';
  const place = { where: `operation ${name}`, operations: [name] };
  list.add(place, 'an operation', after, [...BOTH_SIDES, 'callers'], why);
}

function compareOperations(
  before: Contract,
  after: Contract,
  operation: ModelOperation,
  other: ModelOperation,
  list: DifferenceList,
): void {
  const { name } = operation;
  const operations = [name];
  for (const version of VERSIONS) {
    if (!after.bindings[version]) continue;
    const ours = relativeAction(operation.soapActions[version]?.text, before) ?? 'none';
    const theirs = relativeAction(other.soapActions[version]?.text, after);
    const action = { where: `soapAction of ${name} (SOAP ${version})`, operations };
    if (theirs === undefined) {
      const place = { where: `operation ${name} in the binding of SOAP ${version}`, operations };
      list.add(place, 'bound', 'none', ['requests'], `the service does not take it with SOAP ${version}`);
    } else if (ours !== theirs && version === '1.1') {
      const why = 'the client sends the namespace and the operation, joined, as SOAPAction';
      list.add(action, ours, theirs || 'none', ['requests'], why);
    } else if (ours !== theirs) {
      list.add(action, ours, theirs || 'none', [], 'the client sends no SOAPAction with SOAP 1.2');
    }
  }
  compareMessages(operation, other, list);
}

function relativeAction(action: string | undefined, { namespace }: Contract): string | undefined {
  return action?.startsWith(namespace) ? `{namespace}${action.slice(namespace.length)}` : action;
}
