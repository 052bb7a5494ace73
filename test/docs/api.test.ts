import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/process';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const entryPoints = Object.entries<{ types: string }>(manifest.exports)
  .filter(([path]) => !path.endsWith('.json'))
  .map(([path, { types }]) => ({
    name: path.replace('.', 'messaging-soap'),
    file: join(ROOT, types.replace('./dist/', '').replace('.d.ts', '.ts')),
  }));

const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
const sections = new Map(page.split(/^## /m).map((text) => [text.slice(0, text.indexOf('\n')), text]));

const config = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
const host: ts.CompilerHost = {
  ...ts.createCompilerHost(options),
  // The names of our exports do not depend on the types of other packages, whose reading takes seconds.
  resolveModuleNameLiterals: (literals, file) =>
    literals.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, file, options, ts.sys) : { resolvedModule: undefined },
    ),
};
const program = ts.createProgram(
  entryPoints.map(({ file }) => file),
  { ...options, noEmit: true, types: [] },
  host,
);
const checker = program.getTypeChecker();

/** The exports of an entry point. */
function exportsOf(file: string): readonly ts.Symbol[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile);
  return checker.getExportsOfModule(module as ts.Symbol);
}

/**
 * The members of options, which come from their table, or of a class that is not an error. Those that another folder
 * declares are described in its section.
 */
function membersOf(symbol: ts.Symbol, folder: string): string[] {
  const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const isClass = (declared.flags & ts.SymbolFlags.Class) !== 0;
  if (!(isClass || declared.name.endsWith('Options')) || /Error$|Timeout$/.test(declared.name)) return [];
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const members = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(declared))
    .filter(({ declarations = [] }) =>
      declarations.every(
        (declaration) =>
          (ts.getCombinedModifierFlags(declaration) & hidden) === 0 &&
          declaration.getSourceFile().fileName.startsWith(folder),
      ),
    );
  return members.map(({ name }) => name).filter((name) => /^[a-z]/.test(name));
}

/** The words in the code of a text, which is between backticks. */
function wordsOf(text: string): ReadonlySet<string> {
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, words = '']) => words);
  return new Set(code.flatMap((words) => words.match(/\w+/g) ?? []));
}

/** What users import from messaging-soap. A name that goes breaks their programs. */
const PUBLIC_NAMES = [
  ...['AbortError', 'ApiReceive', 'ApiSelect', 'CallOptions', 'CallTrace', 'ConfigurationError', 'ConnectionError'],
  ...['FaultError', 'HttpError', 'MessagingClient', 'MessagingError', 'MessagingOptions', 'MessagingRequest'],
  ...['MessagingResponse', 'MessagingResult', 'OperationName', 'OptionProblem', 'Outcome', 'RequestDefaults'],
  ...['RequestError', 'RequestProblem', 'ResponseError', 'SoapVersion', 'StatusError', 'StreamOptions'],
  ...['TextDescription', 'TimeoutError', 'TlsOptions'],
  ...['TrackOptions', 'TrackedStatus', 'TrackingTimeout', 'WireMessage', 'bigintReplacer', 'describeText'],
];

test('messaging-soap exports the same names as ever', () => {
  expect(
    exportsOf(join(ROOT, 'src/index.ts'))
      .map(({ name }) => name)
      .sort(),
  ).toEqual(PUBLIC_NAMES);
});

test('docs/api.md has a section for each entry point of the package', () => {
  expect([...sections.keys()].slice(1)).toEqual(entryPoints.map(({ name }) => name));
});

test.each(entryPoints)('docs/api.md names every export of $name, every option and every method', ({ name, file }) => {
  const words = wordsOf(sections.get(name) ?? '');
  const symbols = exportsOf(file);
  const wanted = symbols.flatMap((symbol) => [symbol.name, ...membersOf(symbol, dirname(file))]);
  expect(wanted.length).toBeGreaterThan(8);
  expect([...new Set(wanted)].filter((each) => !words.has(each))).toEqual([]);
});
