import fs, { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveOptions } from '../../../src/client/options/client';
import { readEnvironment } from '../../../src/client/options/environment';
import { isSameBaseUrl } from '../../../src/options/checks';
import { makeFolder } from '../../support/folder';
import { thrownBy } from '../../support/outcomes';
import { ROOT } from '../../support/process';

// The options that MessagingClient.fromEnv reads from variables.

const KEY = 'canary-key';
const AUTHORITY = join(ROOT, 'test/fixtures/tls/authority.pem');

let folder: string;
beforeAll(() => {
  folder = makeFolder();
});

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const environment = {
  MESSAGING_BASE_URL: 'https://provider.example/sms',
  MESSAGING_NAMESPACE: 'http://provider.example/',
  MESSAGING_SUCCESS_STATUSES: '1',
};

const read = (variables: NodeJS.ProcessEnv, overrides = {}) => {
  const { options, problems, keys } = readEnvironment(overrides, { ...environment, ...variables });
  return resolveOptions(options, problems, keys);
};

test.each([
  ['a line end', `${KEY}\n`],
  ['a byte order mark', `\ufeff${KEY}\r\n`],
])('the API key comes from the file of MESSAGING_API_KEY_FILE, also with %s', (_, content) => {
  expect(read({ MESSAGING_API_KEY_FILE: fileOf('key', content) }).apiKey).toBe(KEY);
});

test('MESSAGING_DEFAULTS is JSON, and a long in a string is exact', () => {
  const { defaults } = read({
    MESSAGING_API_KEY: KEY,
    MESSAGING_DEFAULTS: '{"msgmode":1,"unixdate":"9007199254740993"}',
  });
  expect(defaults).toEqual({ msgmode: 1, unixdate: 9007199254740993n });
});

test('MESSAGING_CA_FILE gives tls.ca, beside other settings of tls and unless tls has ca', () => {
  const variables = { MESSAGING_API_KEY: KEY, MESSAGING_CA_FILE: AUTHORITY };
  expect(read(variables).tls.ca).toContain('BEGIN CERTIFICATE');
  expect(read(variables, { tls: { servername: 'x.example' } }).tls).toEqual({
    servername: 'x.example',
    ca: expect.stringContaining('BEGIN CERTIFICATE'),
  });
  const mine = readFileSync(AUTHORITY);
  expect(read(variables, { tls: { ca: mine } }).tls.ca).toBe(mine);
});

test('no file of a variable is read for an option that is given', () => {
  const variables = { MESSAGING_API_KEY_FILE: fileOf('unread.key', KEY), MESSAGING_CA_FILE: AUTHORITY };
  const ca = readFileSync(AUTHORITY);
  const reads = jest.spyOn(fs, 'readFileSync');
  try {
    expect(read(variables, { apiKey: 'mine', tls: { ca } })).toMatchObject({ apiKey: 'mine' });
    expect(reads).not.toHaveBeenCalled();
    expect(read(variables).apiKey).toBe(KEY);
    expect(reads).toHaveBeenCalledTimes(2);
  } finally {
    reads.mockRestore();
  }
});

test('one error names everything that is wrong in variables and in overrides, without the key', () => {
  const variables = {
    MESSAGING_API_KEY: KEY,
    MESSAGING_NAMESPACE: '',
    MESSAGING_DEFAULTS: `{"${KEY}`,
    MESSAGING_DATES: 'days',
    MESSAGING_CA_FILE: fileOf('empty.pem', 'no certificate'),
  };
  expect(() => read(variables, { timeoutMs: -1 })).toThrow(
    new RegExp(
      '^namespace \\(MESSAGING_NAMESPACE\\): missing; timeoutMs \\(MESSAGING_TIMEOUT_MS\\): -1 is not .*; ' +
        'defaults \\(MESSAGING_DEFAULTS\\): not JSON, at line 1, column \\d+; ' +
        'tls.ca \\(MESSAGING_CA_FILE\\): .*empty.pem has no certificate in PEM; ' +
        'dates \\(MESSAGING_DATES\\): "days" is neither "seconds" nor "milliseconds"$',
    ),
  );
});

test.each([
  ['a key in the place of its file', KEY, 'apiKey (MESSAGING_API_KEY_FILE): ENOENT: no such file'],
  ['a file that is missing', './none.key', /^apiKey \(MESSAGING_API_KEY_FILE\): ENOENT: .*none\.key'$/],
  [
    'a missing file in a missing folder',
    'missing/none.key',
    /^apiKey \(MESSAGING_API_KEY_FILE\): ENOENT: .*none\.key'$/,
  ],
])('MESSAGING_API_KEY_FILE with %s is refused', (_, path, message) => {
  expect(() => read({ MESSAGING_API_KEY_FILE: path })).toThrow(message);
  expect(() => read({ MESSAGING_API_KEY_FILE: path })).not.toThrow(KEY);
});

test('a key file in UTF-16 with a byte order mark is read', () => {
  const little = Buffer.from(`\ufeff${KEY}\r\n`, 'utf16le');
  for (const bytes of [little, Buffer.from(little).swap16()])
    expect(read({ MESSAGING_API_KEY_FILE: fileOf('utf16.key', bytes) }).apiKey).toBe(KEY);
});

test.each([
  ['bytes that are not UTF-8', Buffer.from([0x6b, 0xff]), 'UTF-8'],
  ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x6b]), 'UTF-16'],
])('a key file with %s is refused', (_, bytes, encoding) => {
  const MESSAGING_API_KEY_FILE = fileOf('wrong.key', bytes);
  expect(() => read({ MESSAGING_API_KEY_FILE })).toThrow(new RegExp(`wrong\\.key is not ${encoding}$`));
});

/** A value of each setting, as its variable has it. */
const values = {
  MESSAGING_NAMESPACE: 'urn:of-the-variables',
  MESSAGING_API_KEY: 'key-of-the-variables',
  MESSAGING_SUCCESS_STATUSES: '7',
  MESSAGING_FINAL_STATUSES: '8',
  MESSAGING_SOAP_VERSION: '1.2',
  MESSAGING_TIMEOUT_MS: '9',
  MESSAGING_RETRIES: '2',
  MESSAGING_PROXY: 'http://proxy.example:3128/',
  MESSAGING_DEFAULTS: '{"msgmode":5}',
  MESSAGING_CA_FILE: AUTHORITY,
};
const complete = { baseUrl: 'https://other.example', namespace: 'urn:x', apiKey: 'other-key', successStatuses: [1] };

test.each([
  ['another service', 'https://provider.example'],
  ['another path', 'https://other.example/sms'],
])('no variable is used when MESSAGING_BASE_URL names %s', (_, MESSAGING_BASE_URL) => {
  const variables = { ...values, MESSAGING_BASE_URL, MESSAGING_API_KEY_FILE: 'none' };
  expect(read(variables, complete)).toEqual(resolveOptions(complete));
  for (const name of ['namespace', 'apiKey', 'successStatuses'] as const) {
    expect(() => read(variables, { ...complete, [name]: undefined })).toThrow(
      new RegExp(
        `^baseUrl: the variables are for another service \\(${MESSAGING_BASE_URL}\\), so none of them is used; ${name} .*: missing$`,
      ),
    );
  }
});

test.each([
  ['no base URL', '', 'https://other.example'],
  ['the same base URL', 'HTTPS://Other.example:443/', 'https://other.example'],
  ['the base URL, and the program none', 'https://other.example', undefined],
])(
  'each variable gives an option that the program leaves out when MESSAGING_BASE_URL names %s',
  (_, MESSAGING_BASE_URL, baseUrl) => {
    expect(read({ ...values, MESSAGING_BASE_URL }, { baseUrl })).toMatchObject({
      baseUrl: baseUrl ?? MESSAGING_BASE_URL,
      namespace: 'urn:of-the-variables',
      apiKey: 'key-of-the-variables',
      successStatuses: new Set([7]),
      finalStatuses: new Set([8]),
      soapVersion: '1.2',
      timeoutMs: 9,
      retries: 2,
      proxy: 'http://proxy.example:3128/',
      defaults: { msgmode: 5 },
      tls: { ca: expect.stringContaining('BEGIN CERTIFICATE') },
    });
  },
);

test('two variables for the API key are refused only when the key would be taken from them', () => {
  const two = { MESSAGING_API_KEY: KEY, MESSAGING_API_KEY_FILE: fileOf('key', KEY) };
  expect(() => read(two)).toThrow(
    'apiKey (MESSAGING_API_KEY): MESSAGING_API_KEY_FILE gives a key too: use one of them',
  );
  expect(read(two, { apiKey: 'mine' }).apiKey).toBe('mine');
});

test('no error shows the API key or a password of a base URL, whichever of the two URLs holds them', () => {
  const file = fileOf('key', KEY);
  const endpoint = `https://other.example/${KEY}/soap/v1.asmx`;
  for (const key of [{ MESSAGING_API_KEY: KEY }, { MESSAGING_API_KEY_FILE: file }]) {
    for (const [stored, baseUrl] of [
      [`https://me:pass-word@provider.example/v1/${KEY}`, 'https://other.example'],
      [`https:/me:pass-word@provider.example/v1/${KEY}`, endpoint],
      [`https://provider.example/v1/${KEY}?apikey=pass-word`, endpoint],
    ] as const) {
      const { message } = thrownBy(() => read({ ...key, MESSAGING_BASE_URL: stored }, { baseUrl })) as Error;
      expect(message).toMatch(/for another service \(https:\/{1,2}provider\.example\/v1\/\*\*\*(\?apikey=\*\*\*)?\)/);
      expect(message).not.toMatch(new RegExp(`${KEY}|pass-word`));
    }
  }
});

test.each([
  ['{"msgmode":1.5}', 'msgmode: 1.5 is not a whole number'],
  ['{"unixdate":9007199254740993}', 'unixdate: JSON does not hold this number exactly; write it as a string'],
])('MESSAGING_DEFAULTS=%s is refused with its reason', (MESSAGING_DEFAULTS, reason) => {
  const message = `defaults (MESSAGING_DEFAULTS): ${reason}`;
  expect(() => read({ MESSAGING_API_KEY: KEY, MESSAGING_DEFAULTS })).toThrow(message);
});

test.each([
  ['https://provider.example', 'https://PROVIDER.example:443/', true],
  ['http://provider.example:80/sms', 'http://provider.example/sms/', true],
  ['http://provider.example', 'https://provider.example', false],
  ['https://provider.example/sms', 'https://provider.example/SMS', false],
  ['https://provider.example:8443', 'https://provider.example', false],
])('the base URLs %s and %s are the same: %s', (one, other, expected) => {
  expect(isSameBaseUrl(one, other)).toBe(expected);
});
