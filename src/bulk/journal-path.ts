import { realpathSync } from 'node:fs';

/** The path of a file's journal when no other path is given. Symbolic links are resolved, so that all names of a file have one journal. */
export function journalPathOf(input: string): string {
  return `${realPathOf(input)}.journal`;
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
