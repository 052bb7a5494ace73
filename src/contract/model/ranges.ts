type Limit = bigint | number;

function signed(bits: bigint): readonly [Limit, Limit] {
  return [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

function unsigned(bits: bigint): readonly [Limit, Limit] {
  return [0n, 2n ** bits - 1n];
}

/** The smallest and the largest value of each type of whole numbers in XML Schema. */
const ranges: ReadonlyMap<string, readonly [min: Limit, max: Limit]> = new Map([
  ['integer', [-Infinity, Infinity]],
  ['nonPositiveInteger', [-Infinity, 0n]],
  ['negativeInteger', [-Infinity, -1n]],
  ['nonNegativeInteger', [0n, Infinity]],
  ['positiveInteger', [1n, Infinity]],
  ['long', signed(64n)],
  ['int', signed(32n)],
  ['short', signed(16n)],
  ['byte', signed(8n)],
  ['unsignedLong', unsigned(64n)],
  ['unsignedInt', unsigned(32n)],
  ['unsignedShort', unsigned(16n)],
  ['unsignedByte', unsigned(8n)],
]);

/** True when both types are types of whole numbers, and the outer one has all values of the inner one. */
export function isRangeWithin(inner: string, outer: string): boolean {
  const [a, b] = [ranges.get(inner), ranges.get(outer)];
  return a !== undefined && b !== undefined && a[0] >= b[0] && a[1] <= b[1];
}
