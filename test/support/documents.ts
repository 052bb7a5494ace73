import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process';

/** Lists the files of the project that git tracks and whose names end so. */
export function filesIn(ending: string): string[] {
  return execFileSync('git', ['ls-files', '-z', `*${ending}`], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);
}

/** Returns the first block of a document in a language. */
export function blockOf(document: string, language: string): string {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const [, block] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(text) ?? [];
  if (block === undefined) throw new Error(`${document} has no block in ${language}`);
  return block;
}
