import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Sandbox } from '../../src/sandbox';
import { Capture, environmentOf } from '../cli/support';
import { makeFolder } from '../support/folder';
import { type BuiltPackage, buildPackage } from './build';
import { root } from './wsdl';

/** A contract of 25 operations, with each construct that ours does not use. */
const provider = readFileSync(join(root, 'test/fixtures/contract/provider.wsdl'), 'utf8');

/** The untyped view of a client whose operations the compiler does not know here. */
interface Client {
  call(operation: string, fields: object): Promise<{ readonly result: unknown; readonly status: number }>;
  close(): Promise<void>;
}

let folder: string;
let built: BuiltPackage;
let sandbox: Sandbox;
let client: Client;

beforeAll(async () => {
  folder = makeFolder();
  built = buildPackage(folder, provider);
});

afterEach(async () => {
  await client.close();
  await sandbox.close();
});

async function start(soapVersion: '1.1' | '1.2'): Promise<void> {
  sandbox = await built.sandbox.startSandbox({ namespace: 'urn:provider#' });
  client = new built.client.MessagingClient({ ...sandbox.clientOptions, soapVersion }) as unknown as Client;
}

/** Makes the sandbox respond with a result next, whatever the operation. */
function respond(operation: string, result: unknown): void {
  sandbox.reply(operation as '*', { result } as never);
}

const credentials = { username: 'u', password: 'p & <q>' };
const messages = { sender: '1', message: 'م', receptor: ['2'], unixdate: 0n, msgmode: 1 };
const setEncoding = {
  encoding: 'Unicode',
  permanent: true,
  limit: null,
  FallbackUrl: 'x',
  output: 'y',
  'local-id': 'z',
};
const sent = {
  messageid: 9007199254740993n,
  message: 'م',
  status: 1,
  statustext: 'q',
  sender: '1',
  receptor: '2',
  date: 5n,
  cost: 120,
};
const received = { messageid: 1n, message: 'm', sender: '1', receptor: '2', date: 5n };
const mode = { id: 1, title: 'a', encoding: 'Binary', active: true, limit: null };
const account = { name: 'n', type: 'Child', credit: -5n, expires: null, active: false };
const lists = { sender: ['1'], message: ['m'], receptor: ['2'], unixdate: 0, msgmode: [1] };
const advance = {
  sender: '1',
  message: 'm',
  encoding: 0,
  receptor: '2',
  unixdate: 0,
  messagemode: 1,
  fallbackurl: null,
  clientmessageid: null,
};

/** Each operation with fields and a result. */
const calls: readonly (readonly [operation: string, fields: object, result: unknown])[] = [
  ['SelectoutboxByApikey', { startUnixdate: 0, endUnixdate: 9 }, [sent]],
  ['SelectByApikey', { messageid: [1n] }, [sent, sent]],
  ['SelectlatestByApikey', { pagesize: 1 }, []],
  ['ReceiveByApikey', { lineNumber: '1', isread: 0 }, [received]],
  ['SendArrayByApikey', lists, [1n]],
  ['SendSimpleByApikey', messages, [9007199254740993n]],
  ['GetStatusByApikey', { messageid: [1n] }, [1]],
  ['CancelByApikey', { messageid: [1n] }, [1]],
  ['RemainCreditByApiKey', {}, 9007199254740993n],
  ['SendAdvance', advance, 7n],
  ['SelectoutboxByLoginInfo', { ...credentials, startUnixdate: 0, endUnixdate: 9 }, [sent]],
  ['SelectByLoginInfo', { ...credentials, messageid: [1n] }, [sent]],
  ['SelectlatestByLoginInfo', { ...credentials, pagesize: 1 }, [sent]],
  ['ReceiveByLoginInfo', { ...credentials, lineNumber: '1', isread: 0 }, [received]],
  ['SendArrayByLoginInfo', { ...credentials, ...lists }, [1n]],
  ['SendSimpleByLoginInfo', { ...credentials, ...messages }, [1n]],
  ['GetStatusByLoginInfo', { ...credentials, messageid: [1n] }, [1]],
  ['CancelByLoginInfo', { ...credentials, messageid: [1n] }, [1]],
  ['RemainCreditByLoginInfo', credentials, 5n],
  ['ListEncodings', {}, ['Default', 'Binary']],
  ['ListModes', {}, [mode, { ...mode, limit: 5, active: false }]],
  ['GetAccountByApikey', {}, account],
  ['CheckLineByLoginInfo', { ...credentials, LineNumber: '1', CountryID: 98 }, true],
  ['SetEncodingByApikey', setEncoding, 'done & <dusted>'],
  ['GetStateByApikey', { messageid: 1n }, 'Not Delivered'],
];

test.each(calls.flatMap((call) => (['1.1', '1.2'] as const).map((version) => [...call, version] as const)))(
  '%s of a contract of 25 operations is called without a line by hand (%#)',
  async (operation, fields, result, version) => {
    await start(version);
    respond(operation, result);
    await expect(client.call(operation, fields)).resolves.toEqual({ result, status: 200, statusmessage: 'ok' });
    expect(sandbox.requests).toHaveLength(1);
  },
);

test('the calls of this file use each of the 25 operations', () => {
  expect(new Set(calls.map(([operation]) => operation)).size).toBe(25);
});

/** The body of the last request, below the operation's element. */
function lastRequest(operation: string): string {
  const { body } = sandbox.requests.at(-1) as { body: Buffer | string };
  return new RegExp(`<${operation} xmlns="urn:provider#">(.*)</${operation}>`).exec(String(body))?.[1] as string;
}

test('a request has the API key if the WSDL has it, and the other elements as they were given', async () => {
  await start('1.1');
  respond('SetEncodingByApikey', 'x');
  await client.call('SetEncodingByApikey', setEncoding);
  expect(lastRequest('SetEncodingByApikey')).toBe(
    '<apikey>sandbox-key</apikey><encoding>Unicode</encoding><permanent>true</permanent><limit xsi:nil="true"/>' +
      '<FallbackUrl>x</FallbackUrl><output>y</output><local-id>z</local-id><status>0</status><statusmessage></statusmessage>',
  );
  respond('RemainCreditByLoginInfo', 1n);
  await client.call('RemainCreditByLoginInfo', credentials);
  expect(lastRequest('RemainCreditByLoginInfo')).toBe(
    '<username>u</username><password>p &amp; &lt;q&gt;</password><status>0</status><statusmessage></statusmessage>',
  );
  respond('ListModes', []);
  await client.call('ListModes', {});
  expect(lastRequest('ListModes')).toBe('<status>0</status><statusmessage></statusmessage>');
});

const refused: readonly (readonly [string, object, RegExp])[] = [
  [
    'an enumeration with another value',
    { encoding: 'unicode' },
    /^SetEncodingByApikey: encoding: must be one of Default, Unicode, Binary$/,
  ],
  [
    'an enumeration with a number',
    { encoding: 1 },
    /encoding: one of Default, Unicode, Binary is needed, not a number/,
  ],
  ['a boolean with a number', { permanent: 1 }, /permanent: a boolean is needed, not a number/],
  ['a boolean with a text', { permanent: 'true' }, /permanent: a boolean is needed, not a string/],
  ['a boolean with null', { permanent: null }, /permanent: null leaves it out, and the WSDL requires it/],
  [
    'a nillable number with a text',
    { limit: 'none' },
    /limit: an xsd:int \(bigint or safe integer\) is needed, not a string/,
  ],
  [
    'a nillable number left out',
    { limit: undefined },
    /limit is missing: give it in the request or in the client's defaults/,
  ],
  ['a new element left out', { 'local-id': undefined }, /local-id is missing/],
];

test.each(refused)('the client refuses a request with %s, and sends nothing', async (_what, fields, message) => {
  await start('1.1');
  await expect(client.call('SetEncodingByApikey', { ...setEncoding, ...fields })).rejects.toThrow(message);
  expect(sandbox.requests).toEqual([]);
});

test('a call leaves out an optional element with null', async () => {
  await start('1.1');
  respond('SetEncodingByApikey', 'x');
  await client.call('SetEncodingByApikey', { ...setEncoding, FallbackUrl: null, output: null, 'local-id': null });
  expect(lastRequest('SetEncodingByApikey')).toContain('<limit xsi:nil="true"/><status>0</status>');
});

/** Makes the sandbox respond with a result as XML. */
function respondXml(operation: string, result: string): void {
  const body =
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soap:Body>' +
    `<${operation}Response xmlns="urn:provider#">${result}<status>200</status><statusmessage>ok</statusmessage></${operation}Response></soap:Body></soap:Envelope>`;
  sandbox.reply('*', { http: { status: 200, headers: { 'content-type': 'text/xml; charset=utf-8' }, body } });
}

const accountXml = (fields: string): string => `<GetAccountByApikeyResult>${fields}</GetAccountByApikeyResult>`;
const read: readonly (readonly [string, string, object, string, unknown])[] = [
  ['a string that is absent', 'SetEncodingByApikey', setEncoding, '', undefined],
  [
    'a string that is nil',
    'SetEncodingByApikey',
    setEncoding,
    '<SetEncodingByApikeyResult xsi:nil="true"/>',
    undefined,
  ],
  ['an empty string', 'SetEncodingByApikey', setEncoding, '<SetEncodingByApikeyResult/>', ''],
  ['a record that is absent', 'GetAccountByApikey', {}, '', undefined],
  ['a record that is nil', 'GetAccountByApikey', {}, '<GetAccountByApikeyResult xsi:nil="true"/>', undefined],
  [
    'a record in any order',
    'GetAccountByApikey',
    {},
    accountXml('<active> 1 </active><x/><expires>9</expires><credit>+7</credit><type>Master</type>'),
    { type: 'Master', credit: 7n, expires: 9n, active: true },
  ],
  [
    'a nillable number that is nil',
    'GetAccountByApikey',
    {},
    accountXml('<type>Child</type><credit>1</credit><expires xsi:nil="1"> </expires><active>0</active>'),
    { type: 'Child', credit: 1n, expires: null, active: false },
  ],
  [
    'a boolean with blanks',
    'CheckLineByLoginInfo',
    { ...credentials, LineNumber: '1', CountryID: 1 },
    '<CheckLineByLoginInfoResult>\n false </CheckLineByLoginInfoResult>',
    false,
  ],
  [
    'an enumeration',
    'GetStateByApikey',
    { messageid: 1 },
    '<GetStateByApikeyResult>Sent</GetStateByApikeyResult>',
    'Sent',
  ],
  [
    'a list of enumerations',
    'ListEncodings',
    {},
    '<ListEncodingsResult><MessageEncoding>Binary</MessageEncoding></ListEncodingsResult>',
    ['Binary'],
  ],
];

test.each(read)('the client reads a response with %s', async (_what, operation, fields, xml, result) => {
  await start('1.1');
  respondXml(operation, xml);
  expect((await client.call(operation, fields)).result).toEqual(result);
});

const unreadable: readonly (readonly [string, string, object, string, RegExp])[] = [
  [
    'an unknown value of an enumeration',
    'GetStateByApikey',
    { messageid: 1 },
    '<GetStateByApikeyResult>Lost</GetStateByApikeyResult>',
    /"Lost" is not one of Queued, Sent, Delivered, Not Delivered \(in/,
  ],
  [
    'a nil number that holds a number',
    'GetAccountByApikey',
    {},
    accountXml('<type>Child</type><credit>1</credit><expires xsi:nil="1">9</expires><active>0</active>'),
    /unexpected text "9" \(in/,
  ],
  ['a missing enumeration', 'GetStateByApikey', { messageid: 1 }, '', /GetStateByApikeyResult is missing/],
  [
    'a text for a boolean',
    'CheckLineByLoginInfo',
    { ...credentials, LineNumber: '1', CountryID: 1 },
    '<CheckLineByLoginInfoResult>yes</CheckLineByLoginInfoResult>',
    /"yes" is not a boolean/,
  ],
  [
    'a nil boolean',
    'GetAccountByApikey',
    {},
    accountXml('<type>Child</type><credit>1</credit><expires>9</expires><active xsi:nil="true"/>'),
    /active is missing/,
  ],
  [
    'a missing nillable number',
    'GetAccountByApikey',
    {},
    accountXml('<type>Child</type><credit>1</credit><active>0</active>'),
    /expires is missing/,
  ],
  [
    'an unknown value in a list',
    'ListEncodings',
    {},
    '<ListEncodingsResult><MessageEncoding>Odd</MessageEncoding></ListEncodingsResult>',
    /"Odd" is not one of Default, Unicode, Binary/,
  ],
  [
    'a nil enumeration in a list',
    'ListEncodings',
    {},
    '<ListEncodingsResult><MessageEncoding xsi:nil="true"/></ListEncodingsResult>',
    /MessageEncoding\[0\] is nil, not one of Default/,
  ],
];

test.each(unreadable)(
  'a response with %s rejects with a ResponseError',
  async (_what, operation, fields, xml, message) => {
    await start('1.1');
    respondXml(operation, xml);
    const failure = client.call(operation, fields);
    await expect(failure).rejects.toThrow(built.client.ResponseError);
    await expect(failure).rejects.toThrow(message);
  },
);

/** Runs the command line of the built package. */
async function messaging(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = new Capture();
  const stderr = new Capture();
  const io = {
    stdout,
    stderr,
    stdin: Readable.from([]),
    environment: environmentOf(sandbox),
    signals: new EventEmitter(),
  };
  const code = await built.cli.run(args, { ...io, invocation: 'messaging' });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

const setOptions = [
  '--encoding',
  'Binary',
  '--permanent',
  'false',
  '--limit',
  '7',
  '--fallback-url',
  'u',
  '--field-output',
  'o',
  '--local-id',
  'l',
];

test('every element of a new operation is an option of messaging call', async () => {
  await start('1.1');
  respond('SetEncodingByApikey', 'x');
  expect(await messaging('call', 'SetEncodingByApikey', ...setOptions)).toMatchObject({ code: 0 });
  expect(lastRequest('SetEncodingByApikey')).toBe(
    '<apikey>sandbox-key</apikey><encoding>Binary</encoding><permanent>false</permanent><limit>7</limit>' +
      '<FallbackUrl>u</FallbackUrl><output>o</output><local-id>l</local-id><status>0</status><statusmessage></statusmessage>',
  );
  const { stdout } = await messaging('call', 'SetEncodingByApikey', '--help');
  expect(stdout).toMatch(/--encoding <\S+> +one of Default, Unicode, Binary/);
  expect(stdout).toMatch(/--permanent <\S+> +a boolean/);
});

/** The options of a call, one with another value. */
function replaced(option: string, value: string): string[] {
  return setOptions.map((part, index) => (setOptions[index - 1] === option ? value : part));
}

test('--omit leaves out an optional element, and makes a nillable number nil', async () => {
  await start('1.1');
  respond('SetEncodingByApikey', 'x');
  const args = [
    '--encoding',
    'Binary',
    '--permanent',
    'true',
    '--omit',
    'limit',
    'fallback-url',
    'field-output',
    'local-id',
  ];
  expect(await messaging('call', 'SetEncodingByApikey', ...args)).toMatchObject({ code: 0 });
  expect(lastRequest('SetEncodingByApikey')).toContain('<permanent>true</permanent><limit xsi:nil="true"/><status>');
});

test.each([
  ['--encoding', 'binary', /^error: --encoding: "binary" is not one of Default, Unicode, Binary/],
  ['--permanent', 'yes', /^error: --permanent: "yes" is neither true nor false/],
  ['--limit', 'none', /^error: --limit: "none" is not a whole number/],
])('messaging call refuses %s %s with exit code 2', async (option, value, message) => {
  await start('1.1');
  const { code, stderr } = await messaging('call', 'SetEncodingByApikey', ...replaced(option, value));
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(sandbox.requests).toEqual([]);
});

type Printed = readonly [operation: string, args: readonly string[], result: unknown, format: string, stdout: string];
const login = ['--username', 'u', '--password', 'p'];
const line = [...login, '--line-number', '1', '--country-id', '98'];
const printed: readonly Printed[] = [
  ['SetEncodingByApikey', setOptions, 'done, \u00e9', 'table', 'done, \u00e9\n'],
  ['SetEncodingByApikey', setOptions, 'done, "x"', 'csv', 'SetEncodingByApikeyResult\r\n"done, ""x"""\r\n'],
  ['SetEncodingByApikey', setOptions, 'done', 'ndjson', '"done"\n'],
  ['SetEncodingByApikey', setOptions, 'done', 'json', '{"result":"done","status":200,"statusmessage":"ok"}\n'],
  ['SetEncodingByApikey', setOptions, null, 'table', ''],
  ['SetEncodingByApikey', setOptions, null, 'json', '{"result":null,"status":200,"statusmessage":"ok"}\n'],
  ['CheckLineByLoginInfo', line, false, 'table', 'false\n'],
  ['CheckLineByLoginInfo', line, true, 'csv', 'CheckLineByLoginInfoResult\r\ntrue\r\n'],
  ['CheckLineByLoginInfo', line, false, 'ndjson', 'false\n'],
  ['CheckLineByLoginInfo', line, false, 'json', '{"result":false,"status":200,"statusmessage":"ok"}\n'],
  [
    'GetAccountByApikey',
    [],
    account,
    'ndjson',
    '{"name":"n","type":"Child","credit":"-5","expires":null,"active":false}\n',
  ],
  ['GetAccountByApikey', [], account, 'csv', 'name,type,credit,expires,active\r\nn,Child,-5,,false\r\n'],
  [
    'GetAccountByApikey',
    [],
    account,
    'json',
    '{"result":{"name":"n","type":"Child","credit":"-5","expires":null,"active":false},"status":200,"statusmessage":"ok"}\n',
  ],
  [
    'GetAccountByApikey',
    [],
    account,
    'table',
    'name  type   credit  expires  active\nn     Child      -5           false\n',
  ],
  ['GetStateByApikey', ['--messageid', '1'], 'Not Delivered', 'table', 'Not Delivered\n'],
  ['ListEncodings', [], ['Default', 'Binary'], 'table', 'Default\nBinary\n'],
  ['ListEncodings', [], ['Default', 'Binary'], 'ndjson', '"Default"\n"Binary"\n'],
  ['ListModes', [], [mode], 'csv', 'id,title,encoding,active,limit\r\n1,a,Binary,true,\r\n'],
];

test.each(printed)(
  'messaging call %s %j prints the result %j as %s',
  async (operation, args, result, format, stdout) => {
    await start('1.1');
    respond(operation, result);
    expect(await messaging('call', operation, ...args, '--output', format)).toMatchObject({ code: 0, stdout });
  },
);
