/** Finds the first of the indexes 0 to `count` - 1 to which a condition applies that also applies to all later ones; else `count`. */
export function firstIndex(count: number, applies: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (applies(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
