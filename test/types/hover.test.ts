import { join } from 'node:path';
import ts from 'typescript';
import { operations } from '../../generated/operations';

const file = join(__dirname, 'sample.ts');
const sample = `import { MessagingClient, type MessagingOptions } from '../../src';
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

/** What an editor shows of the name at its last place in the text that ends with `until`. */
function hover(service: ts.LanguageService, name: string, until: string): { type: string; documentation: string } {
  const position = sample.slice(0, sample.indexOf(until) + until.length).lastIndexOf(name);
  const info = service.getQuickInfoAtPosition(file, position);
  return {
    type: ts.displayPartsToString(info?.displayParts).replace(/\s+/g, ' '),
    documentation: ts.displayPartsToString(info?.documentation),
  };
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
  ['timeoutMs', '...options, timeoutMs', /^The limit of a whole call/],
  ['finalStatuses', '{ finalStatuses', /^The statuses that end the tracking/],
  ['signal', '{ signal', /^Aborts the call/],
  ['delivery', '{ delivery', /^Simulates delivery/],
])('an editor shows the words of %s', (name, until, documentation) => {
  expect(hover(service, name, until).documentation).toMatch(documentation);
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
  expect(hover(service, name, until).type).toBe(type);
});

test.each([
  ['receive', 'Promise<ApiReceive[]>'],
  ['select', 'Promise<ApiSelect[]>'],
  ['selectLatest', 'Promise<ApiSelect[]>'],
  ['selectOutbox', 'Promise<ApiSelect[]>'],
  ['selectLatestStream', 'AsyncIterableIterator<ApiSelect>'],
  ['sendSimple', 'Promise<bigint[]>'],
])('an editor shows the plain fields of %s, and that it returns %s', (name, result) => {
  const { type } = hover(service, name, `client.${name}(`);
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
