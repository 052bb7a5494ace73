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

/** A block of code in a document. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The text of the comment above the block, such as `not run: it takes a day`. */
  readonly mark: string | undefined;
}

/** Returns the blocks of a document. @param document its path in the project */
export function blocksOf(document: string): Block[] {
  const fenced = /(?:^<!-- (.*) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm;
  const blocks = readFileSync(join(ROOT, document), 'utf8').matchAll(fenced);
  return [...blocks].map(([, mark, language = '', text = '']) => ({ mark, language, text }));
}

/** Returns the text of the first block of a document in a language. */
export function blockOf(document: string, language: string): string {
  const block = blocksOf(document).find((each) => each.language === language);
  if (block === undefined) throw new Error(`${document} has no block in ${language}`);
  return block.text;
}
