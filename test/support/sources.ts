import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process';

/** Puts what compiles beside generated/ into a folder that has a generated/ of its own. */
export function copySources(folder: string): void {
  for (const entry of ['src', 'tsconfig.json', 'package.json']) {
    cpSync(join(ROOT, entry), join(folder, entry), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
}
