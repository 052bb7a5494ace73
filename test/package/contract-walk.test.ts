import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuiltPackage, bundle, generateInto } from '../contract/build';
import { compile } from '../contract/compile';
import { addOperation, change, documented, element, wsdl } from '../contract/wsdl';
import { blocksOf } from '../support/documents';
import { makeFolder } from '../support/folder';
import { copySources } from '../support/sources';

const blocks = blocksOf('CONTRIBUTING.md');

/** A block of CONTRIBUTING.md, by the name in the comment above it. */
function block(name: string): string {
  const found = blocks.find(({ mark }) => mark === `walk: ${name}`);
  if (found === undefined) throw new Error(`CONTRIBUTING.md has no block ${name}`);
  return found.text;
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

const folder = makeFolder();

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

/** Writes a file of a caller, which is compiled with the package. */
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

/** The errors after all changes of the page but the removal, while the code is unchanged. */
let errors: readonly string[];
/** The errors after the edits for the added operation, while the contract has further operations and no SendAdvance. */
let laterErrors: readonly string[];
/** The package with the added operation and the edits for it. */
let built: BuiltPackage;

// Each compilation reads the whole package, so the changes share two of them. Each error names the change that causes
// it.
beforeAll(async () => {
  copySources(folder);
  const isread = documented('isread', 'xsd:short');
  const [record = ''] = /<xsd:complexType name="ApiReceive">[\s\S]*?<\/xsd:complexType>/.exec(wsdl) ?? [];
  const changes = [
    ['name="cost" type="xsd:int"', 'name="cost" type="xsd:long"'],
    ['name="sender" type="tns:ArrayOfString"', 'name="sender" type="xsd:string"'],
    [record, change('name="messageid"', 'name="id"', record)],
    [
      isread,
      isread +
        block('element') +
        block('element')
          .replaceAll('tag', 'label')
          .replace(/<xsd:annotation>.*/, ''),
    ],
  ] as const;
  await generate(changes.reduce((text, [from, to]) => change(from, to, text), withLine(wsdl)));
  writeCaller(`${block('call')}  void [result satisfies boolean | undefined, status satisfies number];
  for (const { cost } of await client.selectLatest({ pagesize: 10 })) {
    const number: number = cost;
    void number;
  }
  await client.receive({ lineNumber: '3000', isread: 0 });
  const options = { baseUrl: '', namespace: '', apiKey: '', successStatuses: [] };
  const labelled = new MessagingClient({ ...options, defaults: { label: 'news' } });
${block('element calls').replaceAll('client', 'labelled')}
  await labelled.receive({ lineNumber: '3000', isread: 0, tag: null });
  await client.receive({ lineNumber: '3000', isread: 0, label: null });`);
  errors = compile(folder);

  edit(
    'src/client/client.ts',
    '  /**\n   * Calls any operation',
    `${block('method')}\n  /**\n   * Calls any operation`,
  );
  edit('src/sandbox/soap/operations.ts', '  RemainCreditByApiKey:', `${block('handler')}\n  RemainCreditByApiKey:`);
  await generate(withLine(wsdl));
  built = bundle(folder);

  await generate(withoutAdvance(withUnusualNames(withKinds(withLine(wsdl)))));
  writeCaller(`  const { result } = await client.call('Ping', {});
  return [await client.checkLine({ lineNumber: '3000' }), result] satisfies [boolean, number | undefined];`);
  laterErrors = compile(folder);
});

/** Adds operations with results of several kinds, and without an API key. */
function withKinds(text: string): string {
  const kinds = ['xsd:string', 'xsd:boolean', 'tns:ApiSelect', 'tns:ArrayOfApiReceive', 'tns:ArrayOfString'];
  const user = element('username', 'xsd:string', 'minOccurs="0"');
  return kinds.reduce(
    (changed, type, index) =>
      addOperation(`Give${index}`, user, element(`Give${index}Result`, type, 'minOccurs="0"'), '', changed),
    addOperation('Ping', '', element('PingResult', 'xsd:int'), '', text),
  );
}

/** Adds operations, fields and types with names that need care in TypeScript. */
function withUnusualNames(text: string): string {
  const fields = ['a、b', 'a-b', 'c.d', 'نام', 'class', 'a·'].map((name) => element(name, 'xsd:int')).join('');
  const withOperations = ['Delete', 'Callback', '_1', 'as', 'from'].reduce(
    (changed, name) => addOperation(name, fields, element(`${name}Result`, 'xsd:int'), '', changed),
    text,
  );
  return ['Promise', 'type', 'Object', 'long', 'نوع'].reduce((changed, name, index) => {
    const record = `<xsd:complexType name="${name}"><xsd:sequence>${fields}</xsd:sequence></xsd:complexType>`;
    const list = `<xsd:complexType name="List${index}"><xsd:sequence>${element(name, `tns:${name}`, 'minOccurs="0" maxOccurs="unbounded"')}</xsd:sequence></xsd:complexType>`;
    const result = element(`List${index}sResult`, `tns:List${index}`);
    return addOperation(`List${index}s`, '', result, record + list, changed);
  }, withOperations);
}

function withoutAdvance(text: string): string {
  const without = text
    .replaceAll(/ *<xsd:element name="SendAdvance(Response)?">[\s\S]*?<\/xsd:complexType>\s*<\/xsd:element>\n/g, '')
    .replaceAll(/ *<wsdl:message name="SendAdvanceSoap(In|Out)">[\s\S]*?<\/wsdl:message>\n/g, '')
    .replaceAll(/ *<wsdl:operation name="SendAdvance">[\s\S]*?<\/wsdl:operation>\n/g, '');
  expect(without).not.toContain('SendAdvance');
  return without;
}
/** The errors that are about a change, by a word that only this change causes. */
function errorsAbout(word: string): string[] {
  return errors.filter((error) => error.includes(word));
}

test('an added operation can be called at once, and misses a method and a handler of the sandbox', () => {
  const ofOperation = errors.filter((error) => /checkLine/i.test(error));
  expectErrors(ofOperation, 'operation errors');
  // Nothing else is left: one error in each of the two.
  expect(ofOperation).toHaveLength(expected('operation errors').length);
});

test('after two edits, the added operation works', async () => {
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

test('after an element is added that callers may leave out, no call has an error', () => {
  expect(errorsAbout("'tag'")).toEqual([]);
});

test('after an element is added that the service does not need, each call has to give it, or null', () => {
  const ofElement = errorsAbout("'label'");
  expect(ofElement).toHaveLength(2);
  expect(filesOf(ofElement)).toEqual(['src/caller.ts', 'src/inbox/listing.ts']);
  expectErrors(
    ofElement.map((error) => error.replaceAll('label', 'tag')),
    'element errors',
  );
});

test('the compiler names the code that uses a changed type, a list that became a text, or a renamed field', () => {
  expectErrors(errors, 'type errors');
  expect(errors).toContainEqual(expect.stringMatching(/^src\/sandbox\/soap\/operations\.ts: .*'string/));
  expect(errors).toContainEqual(expect.stringMatching(/^src\/sandbox\/store\/state\.ts: .*'messageid'/));
  expect(errors).toContainEqual(expect.stringMatching(/^src\/cli\/commands\/operations\/follow\.ts: .*messageid/));
  const others = errors.filter((error) => !/messageid|checkLine|'label'/i.test(error));
  expect(filesOf(others).filter((file) => !/^src\/(caller\.ts|sandbox\/.*)$/.test(file))).toEqual([]);
  expect(others.filter((error) => error.startsWith('src/caller.ts'))).toHaveLength(1);
});

test('the compiler names the code that still uses a removed operation', () => {
  expectErrors(laterErrors, 'removal errors');
});

test('after the edits, and with operations of any results, any names or no API key, no other code has an error', () => {
  const others = laterErrors.filter((error) => !/['"]SendAdvance['"]/.test(error));
  // The handler of SendAdvance has lost the type of its arguments.
  const handler = others.filter((error) =>
    /^src\/sandbox\/soap\/operations\.ts: (?:Binding element|Parameter 'state')/.test(error),
  );
  // The operations that were added beside that of the page have no methods.
  const methods = others.filter((error) =>
    /^src\/client\/client\.ts: .*incorrectly implements interface 'OperationMethods<D>'/.test(error),
  );
  expect(methods).toHaveLength(1);
  expect(others.filter((error) => ![...handler, ...methods].includes(error))).toEqual([]);
  // The files that are generated from unusual names are among those without an error.
  expect(readFileSync(join(folder, 'generated/v1/definitions/Delete.ts'), 'utf8')).toContain('    "a、b": number;\n');
  expect(filesOf(laterErrors).sort()).toEqual([
    'src/bulk/rows/fields.ts',
    'src/cli/commands/bulk/command.ts',
    'src/cli/commands/operations/examples.ts',
    'src/client/client.ts',
    'src/sandbox/soap/operations.ts',
  ]);
});
