import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type BuildOptions, build, stop } from 'esbuild';
import { lean } from '../../scripts/lean';

const ROOT = join(__dirname, '../..');

/**
 * Builds the programs that tests start as processes, once in a run of Jest, and in the same way as the package's own
 * command.
 */
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
    logLevel: 'error',
  };
  const entryPoints = {
    messaging: 'src/cli/main.ts',
    sender: 'test/bulk/programs/sender.ts',
    service: 'test/client/programs/service.ts',
    'kept-objects': 'test/client/programs/kept-objects.ts',
    soak: 'test/client/programs/soak.ts',
    worker: 'test/bulk/programs/worker.ts',
    reader: 'test/inbox/programs/reader.ts',
    'long-list': 'test/bulk/programs/long-list.ts',
    sandbox: 'test/sandbox/store/data-file-process.ts',
  };
  const external = ['bullmq', 'redis', 'prom-client', '@exodus/bytes', 'awesome-phonenumber'];
  await build({ ...options, entryPoints, plugins: [lean], external });
  // As one file each, the packages of a queue load in a third of the time. Tests start many programs that load them.
  const packages = { 'node_modules/bullmq/index': 'bullmq', 'node_modules/redis/index': 'redis' };
  await build({ ...options, entryPoints: packages });
  // The client as a bundle of a user has it: without what the command leaves out.
  await build({ ...options, entryPoints: { client: 'src/index.ts' } });
  // The service of esbuild would go on as long as Jest, and Jest may wait for it.
  await stop();
  process.env.TEST_PROGRAMS = folder;
  linkSystemPrograms(join(folder, 'system'));
}

/** The programs that every system has on which the project is developed. */
const SYSTEM_PROGRAMS =
  'cat chmod cp cut date dirname env false git grep head id kill ls mkdir mkfifo mv ps pwd rm sed sh sleep sort tail tee touch tr true uname uniq wc';

/** Makes a folder with links to the only programs that the tests of `npm test` find (limit-programs.ts). */
function linkSystemPrograms(folder: string): void {
  mkdirSync(folder);
  symlinkSync(process.execPath, join(folder, 'node'));
  const places = (process.env.PATH ?? '').split(delimiter);
  for (const name of SYSTEM_PROGRAMS.split(' ')) {
    const found = places.map((place) => join(place, name)).find(existsSync);
    if (found !== undefined) symlinkSync(found, join(folder, name));
  }
}
