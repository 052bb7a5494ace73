import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import type * as files from '../../scripts/generate/files';
import { readContractFor } from '../../scripts/generate/read-contract';
import { writeDocumentation, writeTable } from '../../scripts/generate/tables';
import type * as cli from '../../src/cli/program';
import type * as client from '../../src/index';
import type * as sandbox from '../../src/sandbox';
import { WSDL_PATH } from '../../src/soap/wsdl';
import { ROOT } from '../support/process';
import { copySources } from '../support/sources';

/** The package as another WSDL makes it. Its types are those of our own contract. */
export interface BuiltPackage {
  readonly client: typeof client;
  readonly sandbox: typeof sandbox;
  readonly cli: typeof cli;
}

/** Writes a WSDL and its generated/ into a folder, beside the sources. */
export async function generateInto(folder: string, wsdl: string): Promise<void> {
  write(folder, WSDL_PATH, wsdl);
  for (const document of ['README.md', 'docs/api.md'])
    write(folder, document, readFileSync(join(ROOT, document), 'utf8'));
  // What writes the stubs takes a second to load.
  const { generateFiles } = require('../../scripts/generate/files') as typeof files;
  const { generated } = await generateFiles(folder);
  for (const [file, text] of generated) write(folder, join('generated', file), text);
}

/** Writes a WSDL into a folder, and the part of its generated/ that is not only types. */
export function writeTables(folder: string, wsdl: string): void {
  const contract = readContractFor(wsdl, WSDL_PATH);
  write(folder, WSDL_PATH, wsdl);
  write(folder, 'generated/operations.ts', writeTable(contract));
  write(folder, 'generated/documentation.ts', writeDocumentation(contract));
}

function write(folder: string, file: string, text: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Builds the package for another WSDL in a folder. Nothing checks the types. */
export function buildPackage(folder: string, wsdl: string): BuiltPackage {
  writeTables(folder, wsdl);
  copySources(folder);
  return bundle(folder);
}

/** Bundles the sources of a folder and loads them. */
export function bundle(folder: string): BuiltPackage {
  const entry =
    "export * as client from './src'; export * as sandbox from './src/sandbox'; export * as cli from './src/cli/program';";
  buildSync({
    stdin: { contents: entry, resolveDir: folder },
    bundle: true,
    platform: 'node',
    packages: 'external',
    outfile: join(folder, 'package.js'),
  });
  return require(join(folder, 'package.js')) as BuiltPackage;
}
