import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { ContractError } from '../src/contract/model/problems';
import { MissingMarks } from './generate/documents';
import { findDrift, GENERATED_BY, generateFiles, readFiles } from './generate/files';

const HELP = `
Writes the typed stubs, the operation table, its documentation, and the tables of operations in README.md and docs/api.md from
the hand-written WSDL, wsdl/messaging.v1.wsdl.

  npm run generate              write generated/ and the tables
  npm run generate -- --check   write nothing; print each file that differs, and exit with 1 if there is one
`;

class RefusedError extends Error {}

/**
 * Writes the generated folder and the tables of the documents, and deletes what is no longer generated.
 *
 * @returns the number of files
 * @throws {RefusedError} when a file that was not generated would be deleted; nothing is changed then
 */
async function writeGenerated(root: string): Promise<number> {
  const { generated: files, documents } = await generateFiles(root);
  const folder = join(root, 'generated');
  const present = await readFiles(folder);
  for (const [file, text] of present) {
    if (text.startsWith(GENERATED_BY)) continue;
    throw new RefusedError(`generated/${file} was not generated, and would be deleted: move it to another folder`);
  }
  for (const file of present.keys()) if (!files.has(file)) await rm(join(folder, file));
  for (const [file, text] of files) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  for (const [path, text] of documents) await writeFile(join(root, path), text);
  return files.size + documents.size;
}

/**
 * Writes or compares the generated files.
 *
 * @param args without the program's name
 * @param root the folder of the project
 * @returns the exit code
 */
export async function run(
  args: readonly string[],
  output: Pick<Console, 'log' | 'error'>,
  root = resolve(__dirname, '..'),
): Promise<number> {
  const program = new Command('generate')
    .addHelpText('before', HELP)
    .option('--check', 'write nothing, and exit with 1 when generated files differ')
    .parse(args, { from: 'user' });
  try {
    if (!program.opts<{ check?: boolean }>().check) {
      const count = await writeGenerated(root);
      output.log(`generated: ${count} files written`);
      return 0;
    }
    const differences = await findDrift(root);
    for (const difference of differences) output.error(difference);
    if (differences.length > 0) output.error('the generated files do not match the WSDL: run "npm run generate"');
    else output.log('the generated files match the WSDL');
    return differences.length > 0 ? 1 : 0;
  } catch (error) {
    // The user can correct a broken WSDL or a missing file. Any other error is our defect, and its stack is needed.
    const expected =
      error instanceof ContractError ||
      error instanceof RefusedError ||
      error instanceof MissingMarks ||
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
