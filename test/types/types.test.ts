import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '../..');
const names = readdirSync(__dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
const texts = new Map(names.map((name) => [join(__dirname, name), readFileSync(join(__dirname, name), 'utf8')]));

interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** What the compiler says of these files, under the project's own settings, with these texts instead of those on disk. */
function compile(files: ReadonlyMap<string, string>): Complaint[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { readFile } = host;
  host.readFile = (name) => files.get(name) ?? readFile.call(host, name);
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText, start = 0 }) => ({
        file,
        line: source ? source.getLineAndCharacterOfPosition(start).line : -1,
        message: ts.flattenDiagnosticMessageText(messageText, ' '),
      }),
    );
  });
}

test('what must compile does, and what must not compile does not', () => {
  expect(compile(texts)).toEqual([]);
}, 60_000);

test('without its expectation, each line that must not compile is a complaint', () => {
  const bare = new Map([...texts].map(([file, text]) => [file, text.replaceAll('// @ts-expect-error', '//')]));
  const complaints = compile(bare);
  const places = [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => (line.trim().startsWith('// @ts-expect-error') ? [{ file, index }] : [])),
  );
  expect(places.length).toBeGreaterThan(80);
  // The complaint is about the statement that follows.
  for (const { file, index } of places) {
    expect(complaints).toContainEqual(expect.objectContaining({ file, line: index + 1 }));
  }
}, 60_000);

test('an expectation that nothing fulfils is a complaint', () => {
  const [[file, text]] = texts as unknown as [[string, string]];
  const idle = `${text}\n// @ts-expect-error nothing is wrong here\nexport const fine = 1;\n`;
  expect(compile(new Map([[file, idle]]))).toEqual([
    expect.objectContaining({ file, message: "Unused '@ts-expect-error' directive." }),
  ]);
}, 60_000);
