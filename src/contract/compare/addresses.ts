import { splitAddress } from '../model/addresses';
import type { Contract } from '../model/model';
import type { DifferenceList } from './differences';

/**
 * Compares the addresses of two contracts. The client posts to a base URL followed by a path. The base URL is a
 * setting, and the path is fixed. All SOAP versions have to be at the same base URL.
 *
 * @returns the base URL of the other contract; undefined when no base URL leads to one of its addresses
 */
export function compareAddresses(before: Contract, after: Contract, list: DifferenceList): string | undefined {
  const path = splitAddress(before.bindings['1.1']?.address ?? '')?.path ?? '';
  const addresses = (['1.1', '1.2'] as const).flatMap((version) => {
    const address = after.bindings[version]?.address;
    // A port without an address is allowed.
    return address ? { version, address, own: baseUrlOf(address, path) } : [];
  });
  const baseUrl = addresses.find(({ own }) => own !== undefined)?.own;
  const isOne = new Set(addresses.map(({ address }) => address)).size === 1;
  for (const { version, address, own } of addresses) {
    // Two URLs may differ in the case of the host, or in the usual port, only.
    if (own !== undefined && baseUrl !== undefined && new URL(own).href === new URL(baseUrl).href) continue;
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

/** Returns the base URL of an address; undefined when the client can reach the address with no base URL. */
function baseUrlOf(address: string, path: string): string | undefined {
  const base = address.endsWith(path) ? address.slice(0, address.length - path.length) : '';
  return splitAddress(base) && !/[?#]/.test(base) ? base : undefined;
}
