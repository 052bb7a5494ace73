import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { ContractError } from '../src/contract/model/problems';
import { findDrift, GENERATED_BY, generateFiles } from './generate/files';

const HELP = `
Writes the typed stubs, the operation table and the text of the WSDL from the hand-written WSDL.

  npm run generate              write generated/
  npm run generate -- --check   write nothing; print each difference, and exit with 1 if there is one
`;

/**
 * Replaces a folder by new files. Writes the files beside the folder and then swaps both, so that a failure changes nothing.
 *
 * @throws {RefusedError} when a file that was not generated would be deleted; nothing is changed then
 */
async function replaceFolder(folder: string, files: Map<string, string>): Promise<void> {
  const fresh = `${folder}.new`;
  const old = `${folder}.old`;
  for (const each of [folder, fresh, old]) {
    const handWritten = await findHandWritten(each);
    if (handWritten === undefined) continue;
    const name = relative(process.cwd(), handWritten);
    throw new RefusedError(`${name} was not generated, and would be deleted: give --out a folder of its own`);
  }
  await rm(fresh, { recursive: true, force: true });
  for (const [file, text] of files) {
    const path = join(fresh, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  await rm(old, { recursive: true, force: true });
  await rename(folder, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(fresh, folder);
  await rm(old, { recursive: true, force: true });
}

class RefusedError extends Error {}

/** Finds the first entry of a folder, at any depth, that is neither a folder nor a generated file. */
async function findHandWritten(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    if (!entry.isFile() || !(await readFile(path, 'utf8')).startsWith(GENERATED_BY)) return path;
  }
  for (const entry of entries.filter((candidate) => candidate.isDirectory())) {
    const handWritten = await findHandWritten(join(folder, entry.name));
    if (handWritten !== undefined) return handWritten;
  }
  return undefined;
}

/**
 * Writes or compares the generated files.
 *
 * @param args without the program's name
 * @returns the exit code
 */
export async function run(args: readonly string[], output: Pick<Console, 'log' | 'error'>): Promise<number> {
  const root = resolve(__dirname, '..');
  const program = new Command('generate')
    .addHelpText('before', HELP)
    .option('--check', 'write nothing, and exit with 1 when generated files differ')
    .option('--wsdl <file>', 'read this WSDL', join(root, 'wsdl/messaging.v1.wsdl'))
    .option('--out <folder>', 'write this folder', join(root, 'generated'))
    .parse(args, { from: 'user' });
  const options = program.opts<{ check?: boolean; wsdl: string; out: string }>();
  const folder = resolve(options.out);
  const name = relative(process.cwd(), folder);
  try {
    const files = await generateFiles(options.wsdl);
    if (!options.check) {
      await replaceFolder(folder, files);
      output.log(`${name}: ${files.size} files written`);
      return 0;
    }
    const differences = await findDrift(files, folder);
    for (const difference of differences) output.error(`${name}/${difference}`);
    if (differences.length > 0) output.error(`${name} does not match the WSDL: run "npm run generate"`);
    else output.log(`${name}: ${files.size} files match the WSDL`);
    return differences.length > 0 ? 1 : 0;
  } catch (error) {
    // The user can correct a broken WSDL or a missing file: print a line for each problem. Anything else is our defect: print its stack.
    const expected =
      error instanceof ContractError ||
      error instanceof RefusedError ||
      (error as NodeJS.ErrnoException).code !== undefined;
    output.error(expected ? (error as Error).message.replace(/^/gm, 'generate: ') : error);
    return 1;
  }
}

if (require.main === module) {
  run(process.argv.slice(2), console).then((exitCode) => {
    process.exitCode = exitCode;
  });
}
