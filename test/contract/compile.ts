import { createHash } from 'node:crypto';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
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

/** The compilation of each part before, whose results for files that no change reaches are used again. */
const builders = new Map<string, ts.SemanticDiagnosticsBuilderProgram>();

/** What the compiler says of src/ and generated/ in a folder, or of one of the two: "file: message". */
export function compile(folder: string, part = ''): string[] {
  const parseHost = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(folder, 'tsconfig.json'), { types: ['node'] }, parseHost);
  if (!config) throw new Error('no tsconfig.json');
  const files = config.fileNames.filter((file) => relative(folder, file).startsWith(part));
  const key = join(folder, part);
  const host = cachingHost(config.options);
  const builder = ts.createSemanticDiagnosticsBuilderProgram(files, config.options, host, builders.get(key));
  builders.set(key, builder);
  const diagnostics = [
    ...builder.getConfigFileParsingDiagnostics(),
    ...builder.getOptionsDiagnostics(),
    ...builder.getGlobalDiagnostics(),
    ...builder.getSyntacticDiagnostics(),
    ...builder.getSemanticDiagnostics(),
  ];
  return diagnostics.map(({ file, messageText }) => {
    const name = file ? relative(folder, file.fileName) : '';
    return `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** The source files by path. The compiler's incremental form needs the version. */
const sources = new Map<string, ts.SourceFile & { version?: string }>();

/** Parses a file once for all compilations, unless its text has changed: most belong to Node's types and to TypeScript. */
function cachingHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    getSourceFile(fileName, languageVersion) {
      const text = host.readFile(fileName);
      const known = sources.get(fileName);
      if (text === undefined || known?.text === text) return text === undefined ? undefined : known;
      const source: ts.SourceFile & { version?: string } = ts.createSourceFile(fileName, text, languageVersion);
      source.version = createHash('sha256').update(text).digest('hex');
      sources.set(fileName, source);
      return source;
    },
  };
}
