import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '../../../src/sandbox';

describe('Python', () => {
  test('A Python program controls the sandbox with the standard library alone', async () => {
    const sandbox = await startSandbox();
    try {
      const script = join(__dirname, 'peers/control.py');
      const { stdout } = await promisify(execFile)('python3', [script, sandbox.baseUrl]);
      expect(stdout).toBe('done\n');
    } finally {
      await sandbox.close();
    }
  });
});
