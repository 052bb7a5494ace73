import { cpSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as ts from 'typescript';
import { root } from './wsdl';

/** Puts what compiles beside generated/ into a folder that has a generated/ of its own. */
export function copySources(folder: string): void {
  for (const entry of ['src', 'tsconfig.json', 'package.json']) {
    cpSync(join(root, entry), join(folder, entry), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
}

/** What the compiler says of src/ and generated/ in a folder: "file: message". */
export function compile(folder: string): string[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(folder, 'tsconfig.json'), { types: ['node'] }, host);
  if (!config) throw new Error('no tsconfig.json');
  const program = ts.createProgram(config.fileNames, config.options);
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const name = file ? relative(folder, file.fileName) : '';
    return `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
