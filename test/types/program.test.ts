import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { operations } from '../../generated/operations';
import { ROOT } from '../support/process';

// What the compiler knows of the package: its exports, and the types and words that an editor shows. One program for all tests.

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const entryPoints = Object.entries<{ types: string }>(manifest.exports)
  .filter(([path]) => !path.endsWith('.json'))
  .map(([path, { types }]) => ({
    name: path.replace('.', 'messaging-soap'),
    file: join(ROOT, types.replace('./dist/', '').replace('.d.ts', '.ts')),
  }));

const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
const sections = new Map(page.split(/^## /m).map((text) => [text.slice(0, text.indexOf('\n')), text]));

/** The files of src and generated, from the root. */
const files = ['src', 'generated'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path)),
);

/** A program of a user. */
const file = join(__dirname, 'sample.ts');
const sample = `declare global {
  interface AbortSignal {}
  var AbortSignal: { prototype: AbortSignal };
}
import { MessagingClient, type MessagingOptions } from '../../src';
import { startSandbox } from '../../src/sandbox';
declare const client: MessagingClient;
declare const withDefaults: MessagingClient<{ readonly msgmode: 1 }>;
declare const options: MessagingOptions;
const configured = new MessagingClient(options);
client.sendSimple({ sender: '1', message: 'a', receptor: ['2'], unixdate: 0n, msgmode: 1 });
withDefaults.sendArray({ sender: [], message: [], receptor: [], unixdate: 0n, msgmode: [] });
withDefaults.sendSimple({ sender: '1', message: 'a', receptor: ['2'], unixdate: 0n, msgmode: 1 });
client.call('ReceiveByApikey', { lineNumber: '1', isread: 0 }, { signal });
client.selectLatest({ pagesize: 1 }).then(([record]) => record?.cost);
client.selectLatestStream({ pagesize: 1 });
client.select({ messageid: [1n] });
client.selectOutbox({ startUnixdate: 0n, endUnixdate: 1n });
client.receive({ lineNumber: '1', isread: 0 });
client.sendSimple({ sender: '2', message: 'a', receptor: ['2'], unixdate: 0n });
client.call('NoSuchOperation', {});
const sure = new MessagingClient({ ...options, defaults: { msgmode: 1 } });
new MessagingClient({ ...options, timeoutMs: 5, successStatuses: [200] });
client.track([1n], { finalStatuses: [6], onFailure: () => {} });
startSandbox({ delivery: true });
MessagingClient.fromEnv({ timeoutMs: 5 });
`;

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
const service = ts.createLanguageService({
  ...ts.sys,
  useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
  getScriptFileNames: () => [file, ...files.map((path) => join(ROOT, path))],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = name === file ? sample : ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  // The types of our exports do not depend on those of other packages, whose reading takes seconds.
  getCompilationSettings: () => ({ ...options, types: [] }),
  resolveModuleNameLiterals: (literals, from) =>
    literals.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, from, options, ts.sys) : { resolvedModule: undefined },
    ),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  getCurrentDirectory: () => ROOT,
});
const program = service.getProgram() as ts.Program;
const checker = program.getTypeChecker();

/** What an editor shows of the name at its last place in the text that ends with `until`. */
function hover(name: string, until: string): { type: string; documentation: string } {
  const position = sample.slice(0, sample.indexOf(until) + until.length).lastIndexOf(name);
  const info = service.getQuickInfoAtPosition(file, position);
  return {
    type: ts.displayPartsToString(info?.displayParts).replace(/\s+/g, ' '),
    documentation: ts.displayPartsToString(info?.documentation),
  };
}

test.each([
  [
    'unixdate',
    "client.sendSimple({ sender: '1', message: 'a', receptor: ['2'], unixdate",
    /^A date\. The contract does not define the unit, the time zone or the effect\. \(xsd:long\)$/,
  ],
  ['receptor', "client.sendSimple({ sender: '1', message: 'a', receptor", /^The receptors of the message\./],
  ['sender', 'withDefaults.sendArray({ sender', /sender/i],
  // A field that defaults have, so that it is optional.
  [
    'msgmode',
    "withDefaults.sendSimple({ sender: '1', message: 'a', receptor: ['2'], unixdate: 0n, msgmode",
    /^The contract does not define the values\./,
  ],
  ['isread', "'1', isread", /^Selects messages by their read state\./],
  ['pagesize', '{ pagesize', /^The number of messages to list\./],
  ['cost', 'record?.cost', /^The cost of the message\./],
  ['timeoutMs', '...options, timeoutMs', /^The limit of a whole call/],
  ['finalStatuses', '{ finalStatuses', /^The statuses that end the tracking/],
  ['signal', '{ signal', /^Aborts the call/],
  ['delivery', '{ delivery', /^Simulates delivery/],
])('an editor shows the words of %s', (name, until, documentation) => {
  expect(hover(name, until).documentation).toMatch(documentation);
});

test.each([
  ['sender', 'client.sendSimple({ sender', '(property) sender: string | null'],
  [
    'receptor',
    "client.sendSimple({ sender: '1', message: 'a', receptor",
    '(property) receptor: readonly string[] | null',
  ],
  [
    'unixdate',
    "client.sendSimple({ sender: '1', message: 'a', receptor: ['2'], unixdate",
    '(property) unixdate: number | bigint',
  ],
  ['messageid', 'client.select({ messageid', '(property) messageid: readonly (number | bigint)[] | null'],
  [
    'msgmode',
    'withDefaults.sendArray({ sender: [], message: [], receptor: [], unixdate: 0n, msgmode',
    '(property) msgmode: readonly number[] | null',
  ],
  [
    'msgmode',
    "withDefaults.sendSimple({ sender: '1', message: 'a', receptor: ['2'], unixdate: 0n, msgmode",
    '(property) msgmode?: number | undefined',
  ],
  ['signal', '{ signal', '(property) signal?: AbortSignal | undefined'],
  ['timeoutMs', '...options, timeoutMs', '(property) timeoutMs?: number | undefined'],
  ['successStatuses', 'timeoutMs: 5, successStatuses', '(property) successStatuses: readonly number[]'],
  ['finalStatuses', '{ finalStatuses', '(property) finalStatuses?: readonly number[] | undefined'],
  [
    'onFailure',
    'finalStatuses: [6], onFailure',
    '(property) onFailure?: ((error: MessagingError, ids: readonly bigint[]) => unknown) | undefined',
  ],
  ['delivery', '{ delivery', '(property) delivery?: boolean | Partial<SandboxDelivery> | undefined'],
  ['configured', 'const configured', 'const configured: MessagingClient<RequestDefaults>'],
  ['sure', 'const sure', 'const sure: MessagingClient<{ msgmode: number; }>'],
  [
    'fromEnv',
    'MessagingClient.fromEnv',
    '(method) MessagingClient<D extends RequestDefaults = Record<never, never>>.fromEnv<Record<never, never>>' +
      '(overrides?: OptionOverrides<Record<never, never>> | undefined): MessagingClient<Record<never, never>>',
  ],
])('an editor shows the type of %s (%#) as a person would write it', (name, until, type) => {
  expect(hover(name, until).type).toBe(type);
});

test.each([
  ['receive', 'Promise<ApiReceive[]>'],
  ['select', 'Promise<ApiSelect[]>'],
  ['selectLatest', 'Promise<ApiSelect[]>'],
  ['selectOutbox', 'Promise<ApiSelect[]>'],
  ['selectLatestStream', 'AsyncIterableIterator<ApiSelect>'],
  ['sendSimple', 'Promise<bigint[]>'],
])('an editor shows the plain fields of %s, and that it returns %s', (name, result) => {
  const { type } = hover(name, `client.${name}(`);
  expect(type).toMatch(/\(request: \{ readonly [^<>]*\}, options\?: (Call|Stream)Options/);
  expect(type.endsWith(`: ${result}`)).toBe(true);
});

test('an editor lists the ten operations for the operation of a call', () => {
  const position = sample.indexOf("'NoSuchOperation'") + 1;
  const entries = service.getCompletionsAtPosition(file, position, {})?.entries.map(({ name }) => name);
  expect(entries?.sort()).toEqual(Object.keys(operations).sort());
});

test.each([
  [
    "client.sendSimple({ sender: '2'",
    /Property 'msgmode' is missing in type .* required in type .*readonly msgmode: number;/,
  ],
  ["client.call('NoSuchOperation'", /'"NoSuchOperation"' is not assignable .*'"SendSimpleByApikey" \| "[^']*'/],
])('the compiler reports the plain types for the wrong call %s', (call, words) => {
  const wrong = service
    .getSemanticDiagnostics(file)
    .filter(({ start = 0 }) => lineOf(start) === lineOf(sample.indexOf(call)));
  const messages = wrong.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  expect(messages).toEqual([expect.stringMatching(words)]);
  // The names of helper types.
  expect(messages[0]).not.toMatch(/FieldValue|Flat|Given|Omit|Pick/);
});

function lineOf(position: number): number {
  return sample.slice(0, position).split('\n').length;
}

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

/** Names that two files export although they mean different things. The list may only become shorter. */
const KNOWN_DOUBLES: readonly string[] = [
  ...['Operation', 'OperationName', 'RecordName', 'Session', 'describeType'],
  ...['describeValue', 'operations', 'parseValue', 'records'],
];

test('every exported name of src and generated is declared once', () => {
  const owners = new Map<string, string[]>();
  for (const path of files)
    for (const name of exportedNames(path)) owners.set(name, [...(owners.get(name) ?? []), path]);
  const doubles = [...owners].filter(([, files]) => files.length > 1);
  const unknown = doubles.filter(([name]) => !KNOWN_DOUBLES.includes(name));
  expect(unknown.map(([name, files]) => `${name}: ${files.join(', ')}`)).toEqual([]);
  expect(owners.size).toBeGreaterThan(400);
});

/** The names that a file declares and exports. A name that it exports from another file is not declared here. */
function exportedNames(path: string): ReadonlySet<string> {
  const source = program.getSourceFile(join(ROOT, path)) as ts.SourceFile;
  const names = source.statements.flatMap((statement): string[] => {
    if (ts.isExportDeclaration(statement)) {
      const { moduleSpecifier, exportClause } = statement;
      if (moduleSpecifier || !exportClause || !ts.isNamedExports(exportClause)) return [];
      return exportClause.elements.map(({ name }) => name.text);
    }
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText(source));
    }
    return [(statement as ts.DeclarationStatement).name?.getText(source) ?? 'default'];
  });
  // A function with overloads is one name.
  return new Set(names);
}
