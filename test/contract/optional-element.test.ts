import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readContractFor } from '../../scripts/generate/read-contract';
import { writeTable } from '../../scripts/generate/tables';
import { compareContracts } from '../../src/contract/compare/compare';
import { readWsdl } from '../../src/contract/read/read-contract';
import type { Sandbox } from '../../src/sandbox';
import { Capture, environmentOf } from '../cli/support';
import { makeFolder } from '../support/folder';
import { thrownBy } from '../support/outcomes';
import { type BuiltPackage, buildPackage } from './build';
import { change, documented, wsdl } from './wsdl';

// A contract gains elements of requests that callers may leave out.

const optional = '<xsd:annotation><xsd:appinfo>optional</xsd:appinfo></xsd:annotation>';
const testtag = `<xsd:element name="testtag" type="xsd:string" minOccurs="0">${optional}</xsd:element>`;
const labels = `<xsd:element name="labels" type="tns:ArrayOfString" minOccurs="0">${optional}</xsd:element>`;
const [sendSimple = ''] = /<xsd:element name="SendSimpleByApikey">[\s\S]*?<\/xsd:sequence>/.exec(wsdl) ?? [];
const msgmode = documented('msgmode', 'xsd:int');
const withElements = (added: string) => change(sendSimple, change(msgmode, msgmode + added, sendSimple));
const extended = withElements(testtag + labels);

/** The fields of the ten operations of today. */
const fields = { sender: '3000', message: 'm', receptor: ['911'], unixdate: 0n, msgmode: 1 };

let folder: string;
let built: BuiltPackage;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = makeFolder();
  built = buildPackage(folder, extended);
});
beforeEach(async () => {
  sandbox = await built.sandbox.startSandbox({ strict: true });
});
afterEach(() => sandbox.close());

/** The elements of the requests that came after msgmode, in the order of the requests. */
function sent(): string[] {
  return sandbox.requests.map(({ body }) => /<\/msgmode>(.*)<status>/.exec(String(body))?.[1] ?? '');
}

async function messaging(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new Capture(), new Capture()];
  const environment = environmentOf(sandbox);
  const io = { stdout, stderr, stdin: Readable.from([]), environment, signals: new EventEmitter() };
  const code = await built.cli.run(args, { ...io, invocation: 'messaging' });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

test('a caller may leave out an optional element, give it, and take it from the defaults', async () => {
  const client = new built.client.MessagingClient({ ...sandbox.clientOptions });
  const withDefault = new built.client.MessagingClient({
    ...sandbox.clientOptions,
    defaults: { testtag: 'd' } as object,
  });
  try {
    await client.sendSimple(fields);
    await client.sendSimple({ ...fields, testtag: 'a', labels: ['x', 'y'] } as typeof fields);
    await client.sendSimple({ ...fields, testtag: null, labels: undefined } as typeof fields);
    await client.call('SendSimpleByApikey', fields);
    await withDefault.sendSimple(fields);
    await withDefault.sendSimple({ ...fields, testtag: null } as typeof fields);
    const list = '<labels><string>x</string><string>y</string></labels>';
    expect(sent()).toEqual(['', `<testtag>a</testtag>${list}`, '', '', '<testtag>d</testtag>', '']);
    // The other elements are as strict as before.
    const { sender, ...rest } = fields;
    await expect(client.sendSimple({ ...rest, testtag: 'a' } as never)).rejects.toMatchObject({ field: 'sender' });
  } finally {
    await client.close();
    await withDefault.close();
  }
});

const options = ['--sender', '3000', '--message', 'm', '--receptor', '911', '--unixdate', '0', '--msgmode', '1'];

test.each([['send-simple'], ['call', 'SendSimpleByApikey']])(
  'messaging %s %s needs no optional field',
  async (...command) => {
    expect(await messaging(...command, ...options)).toMatchObject({ code: 0, stderr: '' });
    expect(await messaging(...command, ...options, '--testtag', 'a', '--labels', 'x')).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(sent()).toEqual(['', '<testtag>a</testtag><labels><string>x</string></labels>']);
    const { stdout } = await messaging(...command, '--help');
    expect(stdout).toMatch(/--msgmode [\s\S]*Optional fields:\n +--testtag [\s\S]*--labels /);
    const { code, stderr } = await messaging(...command, '--message', 'm');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: missing: --sender, --receptor, --unixdate, --msgmode\n/);
  },
);

test.each([
  ['without the columns', 'receptor\n911\n912\n', ['', '']],
  ['with a column', 'receptor,testtag\n911,a\n912,b\n', ['<testtag>a</testtag>', '<testtag>b</testtag>']],
])('a list of rows %s is sent', async (_, rows, expected) => {
  const file = join(makeFolder(), 'list.csv');
  writeFileSync(file, rows);
  const args = options.filter((_, index) => index < 4 || index > 5);
  const { code, stderr } = await messaging(
    'bulk',
    'run',
    file,
    ...args,
    '--yes',
    '--baseline-pagesize',
    '0',
    '--concurrency',
    '1',
  );
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const requests = sent().filter((_, index) => sandbox.requests[index]?.operation === 'SendSimpleByApikey');
  expect(requests).toEqual(expected);
});

test('an element is optional for callers only where its xsd:appinfo says so', async () => {
  const table = (wsdl: string) => writeTable(readContractFor(wsdl, 'their.wsdl'));
  const omittable = /OmittableElements = \{\n {2}SendSimpleByApikey: 'testtag'/;
  expect(table(withElements(testtag))).toMatch(omittable);
  expect(table(withElements(testtag.replace(optional, '')))).not.toMatch(omittable);
});

test('the generator refuses an optional element that the schema requires', () => {
  const required = withElements(testtag.replace(' minOccurs="0"', ''));
  expect(String(thrownBy(() => readContractFor(required, 'their.wsdl')))).toMatch(
    /their\.wsdl:\d+: element SendSimpleByApikey\/testtag is optional by its xsd:appinfo/,
  );
});

test('contract diff calls a new optional element compatible with callers, and any other new element not', () => {
  const ours = readWsdl(wsdl, 'our.wsdl').contract;
  for (const [text, callers] of [
    [testtag, 'compatible'],
    [testtag.replace(optional, ''), 'breaking'],
  ] as const) {
    const { differences } = compareContracts(ours, readWsdl(withElements(text), 'their.wsdl').contract);
    expect(differences).toMatchObject([{ field: 'testtag', requests: 'compatible', responses: 'compatible', callers }]);
  }
});
