import { join, relative } from 'node:path';
import * as ts from 'typescript';

/** Returns the compiler's errors in src/ and generated/ of a folder, each as "file: message". */
export function compile(folder: string): string[] {
  const parseHost = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(folder, 'tsconfig.json'), { types: ['node'] }, parseHost);
  if (!config) throw new Error('no tsconfig.json');
  const program = ts.createProgram(config.fileNames, config.options, cachingHost(config.options));
  return [...config.errors, ...ts.getPreEmitDiagnostics(program)].map(({ file, messageText }) => {
    const name = file ? relative(folder, file.fileName) : '';
    return `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

const sources = new Map<string, ts.SourceFile>();

/**
 * Parses a file once for all compilations, unless its text has changed: most belong to Node's types and to TypeScript.
 */
function cachingHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    getSourceFile(fileName, languageVersion) {
      const text = host.readFile(fileName);
      const known = sources.get(fileName);
      if (text === undefined || known?.text === text) return text === undefined ? undefined : known;
      const source = ts.createSourceFile(fileName, text, languageVersion);
      sources.set(fileName, source);
      return source;
    },
  };
}
