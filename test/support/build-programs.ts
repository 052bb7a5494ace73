import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { lean } from '../../scripts/build/lean';

const ROOT = join(__dirname, '../..');

/** Builds the programs that tests start as processes, once in a run of Jest, and in the same way as the package's own command. */
export default async function buildPrograms(): Promise<void> {
  // The programs find packages that are not bundled from this folder.
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'test-programs-'));
  const options: BuildOptions = {
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    plugins: [lean],
    logLevel: 'error',
  };
  const external = ['bullmq', 'redis', 'prom-client'];
  const entryPoints = {
    messaging: 'src/cli/main.ts',
    sender: 'test/bulk/programs/sender.ts',
    reader: 'test/inbox/programs/reader.ts',
    'long-list': 'test/bulk/programs/long-list.ts',
    sandbox: 'test/sandbox/store/data-file-process.ts',
  };
  await build({ ...options, entryPoints, external });
  // With BullMQ and Redis in its bundle, the worker starts in half of the time. Tests start many workers.
  await build({ ...options, entryPoints: { worker: 'test/bulk/programs/worker.ts' }, external: ['prom-client'] });
  process.env.TEST_PROGRAMS = folder;
}
