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
  const { options, problems } = readEnvironment(overrides, { ...environment, ...variables });
  return resolveOptions(options, problems);
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
])('MESSAGING_API_KEY_FILE with %s is refused', (_, path, message) => {
  expect(() => read({ MESSAGING_API_KEY_FILE: path })).toThrow(message);
  expect(() => read({ MESSAGING_API_KEY_FILE: path })).not.toThrow(KEY);
});

test('a key file in UTF-16 is refused', () => {
  const MESSAGING_API_KEY_FILE = fileOf('utf16.key', Buffer.from(`\ufeff${KEY}`, 'utf16le'));
  expect(() => read({ MESSAGING_API_KEY_FILE })).toThrow(/utf16\.key is not UTF-8$/);
});

test('another base URL than that of the variables needs an API key of its own', () => {
  const baseUrl = 'https://other.example';
  const file = fileOf('key', KEY);
  for (const key of [{ MESSAGING_API_KEY: KEY }, { MESSAGING_API_KEY_FILE: file }]) {
    const [variable] = Object.keys(key);
    expect(() => read(key, { baseUrl })).toThrow(
      `apiKey (${variable}): is the key of https://provider.example/sms (MESSAGING_BASE_URL); for another baseUrl, give apiKey too`,
    );
    expect(read(key, { baseUrl, apiKey: 'other-key' }).apiKey).toBe('other-key');
    expect(read(key, { baseUrl: 'HTTPS://PROVIDER.example:443/sms/' }).apiKey).toBe(KEY);
    expect(read({ ...key, MESSAGING_BASE_URL: '' }, { baseUrl }).apiKey).toBe(KEY);
  }
  expect(() => read({ MESSAGING_API_KEY: KEY, MESSAGING_API_KEY_FILE: file })).toThrow(
    'apiKey (MESSAGING_API_KEY): MESSAGING_API_KEY_FILE is set too: unset one of them',
  );
});

test('no error shows the API key or a password of a base URL, whichever of the two URLs holds them', () => {
  const file = fileOf('key', KEY);
  const endpoint = `https://other.example/${KEY}/soap/v1.asmx`;
  for (const key of [{ MESSAGING_API_KEY: KEY }, { MESSAGING_API_KEY_FILE: file }]) {
    for (const [stored, baseUrl] of [
      [`https://me:pass-word@provider.example/v1/${KEY}`, 'https://other.example'],
      [`https:/me:pass-word@provider.example/v1/${KEY}`, endpoint],
    ] as const) {
      const { message } = thrownBy(() => read({ ...key, MESSAGING_BASE_URL: stored }, { baseUrl })) as Error;
      expect(message).toMatch(/is the key of https:\/{1,2}provider\.example\/v1\/\*\*\* \(MESSAGING_BASE_URL\)/);
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
