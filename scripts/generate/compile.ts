import * as ts from 'typescript';

/**
 * Asks the compiler which names cannot be the names of generated types. Each name gets a file of its own that uses it
 * as generated files do, so that one error does not hide another.
 *
 * @returns the compiler's first error about a name, by the name
 */
export function findTypeNameErrors(names: readonly string[]): ReadonlyMap<string, string> {
  // Generated files declare a type, import it, and make an array of it.
  const texts = new Map(
    names.map((name, index) => [
      `${index}.ts`,
      `export interface ${name} {}\nexport declare const use: Array<${name}>;\n`,
    ]),
  );
  // The whole library of TypeScript would take most of the time.
  texts.set(LIBRARY, 'interface Array<T> {}');
  const options = { strict: true, noLib: true, noEmit: true, types: [], target: ts.ScriptTarget.ES2022 };
  const program = ts.createProgram([...texts.keys()], options, {
    ...ts.createCompilerHost(options),
    getSourceFile: (file, target) => ts.createSourceFile(file, texts.get(file) ?? '', target),
    fileExists: (file) => texts.has(file),
    readFile: (file) => texts.get(file),
  });
  const errors = new Map<string, string>();
  for (const { file, messageText } of ts.getPreEmitDiagnostics(program)) {
    // An error without a file says what the library lacks.
    const name = file && names[Number.parseInt(file.fileName, 10)];
    if (name !== undefined && !errors.has(name))
      errors.set(name, ts.flattenDiagnosticMessageText(messageText, ' ').replace(/\.$/, ''));
  }
  return errors;
}

const LIBRARY = 'library.d.ts';
