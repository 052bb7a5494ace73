/** Lists the groups of two rows or more that have equal digests; the rows of a group are in their order. A row without a digest is in none. */
export function equalRows(count: number, digestOf: (row: number) => bigint | undefined): number[][] {
  const digests = new BigUint64Array(count);
  for (let row = 1; row <= count; row++) digests[row - 1] = digestOf(row) ?? 0n;
  const compare = (a: number, b: number) => {
    const [one, other] = [digests[a - 1] as bigint, digests[b - 1] as bigint];
    return one < other ? -1 : one > other ? 1 : a - b;
  };
  const order = Uint32Array.from({ length: count }, (_, index) => index + 1).sort(compare);
  const groups: number[][] = [];
  for (let index = 1; index < count; index++) {
    const [before, row] = [order[index - 1] as number, order[index] as number];
    if (digests[before - 1] !== digests[row - 1] || digests[row - 1] === 0n) continue;
    const last = groups.at(-1);
    if (last?.at(-1) === before) last.push(row);
    else groups.push([before, row]);
  }
  return groups;
}
