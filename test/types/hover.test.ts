import { join } from 'node:path';
import ts from 'typescript';

const file = join(__dirname, 'sample.ts');
const sample = `import { MessagingClient } from '../../src';
declare const client: MessagingClient;
declare const withDefaults: MessagingClient<{ readonly msgmode: 1 }>;
client.sendSimple({ sender: '1', message: 'a', receptor: ['2'], unixdate: 0n, msgmode: 1 });
withDefaults.sendArray({ sender: [], message: [], receptor: [], unixdate: 0n });
withDefaults.sendSimple({ sender: '1', message: 'a', receptor: ['2'], unixdate: 0n, msgmode: 1 });
client.call('ReceiveByApikey', { lineNumber: '1', isread: 0 });
client.selectLatest({ pagesize: 1 }).then(([record]) => record?.cost);
`;

/** What an editor shows of the name at its last place in the text that ends with `until`. */
function hover(service: ts.LanguageService, name: string, until: string): string {
  const position = sample.slice(0, sample.indexOf(until) + until.length).lastIndexOf(name);
  return ts.displayPartsToString(service.getQuickInfoAtPosition(file, position)?.documentation);
}

let service: ts.LanguageService;
beforeAll(() => {
  const { config } = ts.readConfigFile(join(__dirname, '../../tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(__dirname, '../..'));
  service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = name === file ? sample : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getCurrentDirectory: () => join(__dirname, '../..'),
  });
});

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
])('an editor shows what the contract says of %s', (name, until, documentation) => {
  expect(hover(service, name, until)).toMatch(documentation);
});
