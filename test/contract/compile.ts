import { spawnSync } from 'node:child_process';
import { ROOT } from '../support/process';

/** Returns the compiler's errors in src/ and generated/ of a folder, each as "file: message". */
export function compile(folder: string): string[] {
  const args = [`${ROOT}/node_modules/typescript-native/bin/tsc`, '--pretty', 'false', '--types', 'node'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0 && stdout === '') throw new Error(`the compiler ended with ${status}: ${stderr}`);
  // The further lines of a message are indented.
  const errors = stdout.trimEnd().replace(/\n +/g, ' ').split('\n');
  return errors.filter((line) => line !== '').map((line) => line.replace(/\(\d+,\d+\): error TS\d+/, ''));
}
