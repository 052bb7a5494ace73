import { join } from 'node:path';

// A test that needs another program than those of build-programs.ts belongs in a file named *.peers.test.ts. It fails
// elsewhere, also on a machine that has the program. The tests of the package have a command of their own.
const { testPath = '' } = expect.getState();
if (!/\.peers\.test\.ts$|[\\/]test[\\/]package[\\/]/.test(testPath))
  process.env.PATH = join(process.env.TEST_PROGRAMS as string, 'system');
