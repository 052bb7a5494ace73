import { existsSync, realpathSync } from 'node:fs';

/** The path of a file's journal by default. Symbolic links are resolved: all names of a file have one journal. */
export function journalPathOf(input: string): string {
  return `${existsSync(input) ? realpathSync(input) : input}.journal`;
}
