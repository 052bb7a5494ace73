/** Finds the name that a column was meant to have: in another writing, or misspelled by up to two letters. */
export function nearestName(column: string, names: readonly string[]): string | undefined {
  const given = plain(column);
  const near = names.filter((name) => distance(given, plain(name)) <= (name.length > 5 ? 2 : 1));
  return near.find((name) => plain(name) === given) ?? near[0];
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The number of letters to insert, delete or replace that make one word of another (Levenshtein). */
function distance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (before[column - 1] as number) + (letter === other[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (before[column] as number) + 1, (current[column - 1] as number) + 1));
    }
    before = current;
  }
  return before[other.length] as number;
}
