import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUp } from './clean-up';

/** Makes a folder outside the project. The folder is removed after the test or the file (clean-up.ts). */
export function makeFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'messaging-test-'));
  cleanUp(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
