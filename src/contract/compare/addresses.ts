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
  const path = Object.values(before.bindings).flatMap(({ address }) => splitAddress(address)?.path ?? [])[0] ?? '';
  const addresses = (['1.1', '1.2'] as const).flatMap((version) => {
    const [ours, theirs] = [before.bindings[version], after.bindings[version]];
    // A port without an address is allowed.
    if (!ours || !theirs?.address) return [];
    const own = baseUrlOf(theirs.address, path);
    return { version, address: theirs.address, isSame: ours.address === theirs.address, own };
  });
  const baseUrl = addresses.find(({ own }) => own !== undefined)?.own;
  const isOne = new Set(addresses.map(({ address }) => address)).size === 1;
  for (const { version, address, own, isSame } of addresses) {
    const isAtBase = own !== undefined && baseUrl !== undefined && isSameUrl(own, baseUrl);
    if (isAtBase || (own === undefined && isSame)) continue;
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

/** True for URLs that differ in the case of the host, or in the usual port, only. */
function isSameUrl(a: string, b: string): boolean {
  return new URL(a).href === new URL(b).href;
}
