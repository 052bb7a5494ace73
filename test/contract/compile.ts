import { cpSync, existsSync, statSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as ts from 'typescript';
import { root } from './wsdl';

/** Puts what compiles beside generated/ into a folder that has a generated/ of its own, once more if it is there. */
export function copySources(folder: string): void {
  for (const entry of ['src', 'tsconfig.json', 'package.json']) {
    cpSync(join(root, entry), join(folder, entry), { recursive: true, preserveTimestamps: true });
  }
  const modules = join(folder, 'node_modules');
  if (!existsSync(modules)) symlinkSync(join(root, 'node_modules'), modules, 'junction');
}

/** What the compiler says of src/ and generated/ in a folder, or of one of the two: "file: message". */
export function compile(folder: string, part = ''): string[] {
  const parseHost = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(folder, 'tsconfig.json'), { types: ['node'] }, parseHost);
  if (!config) throw new Error('no tsconfig.json');
  const files = config.fileNames.filter((file) => relative(folder, file).startsWith(part));
  const program = ts.createProgram(files, config.options, cachingHost(config.options));
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const name = file ? relative(folder, file.fileName) : '';
    return `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

const sources = new Map<string, { readonly changed: number; readonly source: ts.SourceFile | undefined }>();

/** Parses a file once for all compilations, unless it has changed: most belong to Node's types and to TypeScript. */
function cachingHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    getSourceFile(fileName, languageVersion) {
      const changed = statSync(fileName, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      let known = sources.get(fileName);
      if (known?.changed !== changed) {
        known = { changed, source: host.getSourceFile(fileName, languageVersion) };
        sources.set(fileName, known);
      }
      return known?.source;
    },
  };
}
