import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, generateInto } from './build';
import { compile, copySources } from './compile';
import { addOperation, change, documented, element, root, wsdl } from './wsdl';

const page = readFileSync(join(root, 'docs/contract.md'), 'utf8');

/** A block of the page, by the name in the comment above it. */
function block(name: string): string {
  const [, text] = new RegExp(`<!-- walk: ${name} -->\\n\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/contract.md has no block ${name}`);
  return text;
}

/** The lines of the page about what the compiler says. In each the compiler has more words. */
function expected(name: string): RegExp[] {
  return block(name)
    .trimEnd()
    .split('\n')
    .map(
      (line) =>
        new RegExp(
          line
            .split(/(?<=:) | is missing$/)
            .map(literally)
            .join('.*'),
        ),
    );
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** One for all tests, since a file that a test leaves as it is need not be parsed again. */
const folder = mkdtempSync(join(tmpdir(), 'walk-test-'));

beforeEach(() => copySources(folder));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the WSDL and generates, as `npm run generate` does. */
async function generate(text: string): Promise<void> {
  rmSync(join(folder, 'generated'), { recursive: true, force: true });
  await generateInto(folder, text);
}

function edit(file: string, from: string | RegExp, to: string): void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(from, () => to);
  if (changed === text) throw new Error(`${file} does not hold ${from}`);
  writeFileSync(path, changed);
}

/** A file of a caller, which is compiled with the package. */
function writeCaller(code: string): void {
  writeFileSync(
    join(folder, 'src/caller.ts'),
    `import { MessagingClient } from './index';\ndeclare const client: MessagingClient;\nexport async function call() {\n${code}\n}\n`,
  );
}

const withLine = (text: string): string => {
  const operation = block('binding');
  const [first, second, rest] = [
    ['</xsd:schema>', block('elements')],
    ['<wsdl:portType', block('messages')],
    ['</wsdl:portType>', block('operation')],
  ]
    .reduce((changed, [before = '', added = '']) => change(before, added + before, changed), text)
    .split('</wsdl:binding>');
  return [
    first,
    operation,
    '</wsdl:binding>',
    second,
    operation.replaceAll('soap:', 'soap12:'),
    '</wsdl:binding>',
    rest,
  ].join('');
};

/** The file of each error. */
function filesOf(errors: readonly string[]): string[] {
  return [...new Set(errors.map((error) => error.replace(/:.*/s, '')))];
}

function expectErrors(errors: readonly string[], name: string): void {
  for (const line of expected(name)) expect(errors).toContainEqual(expect.stringMatching(line));
}

test('an added operation can be called at once, and has a method, a command and a sandbox after four edits', async () => {
  await generate(withLine(wsdl));
  writeCaller(`${block('call')}  return [result satisfies boolean | undefined, status satisfies number];`);
  const errors = compile(folder);
  expectErrors(errors, 'operation errors');
  // Nothing else is left: one error in each of the three.
  expect(errors).toHaveLength(expected('operation errors').length);

  edit('src/client.ts', '  /**\n   * Calls any operation', `${block('method')}\n  /**\n   * Calls any operation`);
  edit('src/client.ts', "  SendSimpleByApikey: 'send", `${block('methods')}  SendSimpleByApikey: 'send`);
  edit(
    'src/cli/commands/operations/help-texts.ts',
    '  RemainCreditByApiKey: {',
    `${block('help')}  RemainCreditByApiKey: {`,
  );
  edit('src/sandbox/service/service.ts', '    RemainCreditByApiKey:', `${block('handler')}\n    RemainCreditByApiKey:`);
  writeCaller("  return (await client.checkLine({ lineNumber: '3000' })) satisfies boolean;");
  expect(compile(folder)).toEqual([]);

  const built = bundle(folder);
  const sandbox = await built.sandbox.startSandbox();
  const client = new built.client.MessagingClient({ ...sandbox.clientOptions });
  try {
    const { checkLine } = client as unknown as { checkLine(request: object): Promise<boolean> };
    await expect(checkLine.call(client, { lineNumber: '3000' })).resolves.toBe(true);
    await expect(checkLine.call(client, { lineNumber: '3001' })).resolves.toBe(false);
  } finally {
    await client.close();
    await sandbox.close();
  }
});

test('added operations with results of any kind and without an API key cause the same three compile errors', async () => {
  const kinds = ['xsd:string', 'xsd:boolean', 'tns:ApiSelect', 'tns:ArrayOfApiReceive', 'tns:ArrayOfString'];
  const user = element('username', 'xsd:string', 'minOccurs="0"');
  const all = kinds.reduce(
    (text, type, index) =>
      addOperation(`Give${index}`, user, element(`Give${index}Result`, type, 'minOccurs="0"'), '', text),
    addOperation('Ping', '', element('PingResult', 'xsd:int')),
  );
  await generate(all);
  writeCaller("  return (await client.call('Ping', {})).result satisfies number | undefined;");
  const errors = compile(folder);
  expect(filesOf(errors).sort()).toEqual([
    'src/cli/commands/operations/help-texts.ts',
    'src/client.ts',
    'src/sandbox/service/service.ts',
  ]);
  expect(errors.join('\n')).not.toMatch(/no properties in common|implicitly/);
});

test('after an optional element is added, each call has to give it, or null', async () => {
  const isread = documented('isread', 'xsd:short');
  await generate(change(isread, isread + block('element')));
  writeCaller(
    `  await client.receive({ lineNumber: '3000', isread: 0 });
${block('element calls')}
  const options = { baseUrl: '', namespace: '', apiKey: '', successStatuses: [] };
  await new MessagingClient({ ...options, defaults: { tag: 'news' } }).receive({ lineNumber: '3000', isread: 0 });`,
  );
  const errors = compile(folder);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(/^src\/caller\.ts: /);
  expectErrors(errors, 'element errors');
});

test('the compiler names the code that uses a changed type, a list that became a text, or a renamed field', async () => {
  const [record = ''] = /<xsd:complexType name="ApiReceive">[\s\S]*?<\/xsd:complexType>/.exec(wsdl) ?? [];
  const changes = [
    ['name="cost" type="xsd:int"', 'name="cost" type="xsd:long"'],
    ['name="sender" type="tns:ArrayOfString"', 'name="sender" type="xsd:string"'],
    [record, change('name="messageid"', 'name="id"', record)],
  ] as const;
  await generate(changes.reduce((text, [from, to]) => change(from, to, text), wsdl));
  writeCaller(
    '  for (const { cost } of await client.selectLatest({ pagesize: 10 })) {\n    const number: number = cost;\n    void number;\n  }',
  );
  const errors = compile(folder);
  expectErrors(errors, 'type errors');
  expect(errors).toContainEqual(expect.stringMatching(/^src\/sandbox\/service\/service\.ts: .*'string'/));
  expect(errors).toContainEqual(expect.stringMatching(/^src\/sandbox\/store\/received-messages\.ts: .*'messageid'/));
  expect(errors).toContainEqual(expect.stringMatching(/^src\/cli\/commands\/operations\/follow\.ts: .*messageid/));
  const ofTypes = errors.filter((error) => !error.includes('messageid'));
  expect(filesOf(ofTypes).filter((file) => !/^src\/(caller\.ts|sandbox\/.*)$/.test(file))).toEqual([]);
});

test('the compiler names the code that still uses a removed operation', async () => {
  const without = wsdl
    .replaceAll(/ *<xsd:element name="SendAdvance(Response)?">[\s\S]*?<\/xsd:complexType>\s*<\/xsd:element>\n/g, '')
    .replaceAll(/ *<wsdl:message name="SendAdvanceSoap(In|Out)">[\s\S]*?<\/wsdl:message>\n/g, '')
    .replaceAll(/ *<wsdl:operation name="SendAdvance">[\s\S]*?<\/wsdl:operation>\n/g, '');
  expect(without).not.toContain('SendAdvance');
  await generate(without);
  writeCaller('');
  const errors = compile(folder);
  expectErrors(errors, 'removal errors');
  expect(filesOf(errors).filter((file) => !/^src\/(client\.ts|cli\/.*|sandbox\/.*)$/.test(file))).toEqual([]);
});
