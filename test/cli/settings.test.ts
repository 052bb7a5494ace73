import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import { makeFolder } from '../support/folder';
import { openSandbox } from '../support/sandbox';
import { environmentOf, messaging, type Outcome, type RunOptions, shellWords } from './support';

const KEY = 'canary-key';

let sandbox: Sandbox;
let home: string;
beforeAll(async () => {
  sandbox = await openSandbox({ apiKeys: [KEY] });
});
beforeEach(() => {
  home = makeFolder();
  mkdirSync(join(home, '.config', 'messaging'), { recursive: true });
  writeFileSync(join(home, '.config', 'messaging', 'key'), `${KEY}\n`, { mode: 0o600 });
});

function writeConfig(config: unknown, folder = join(home, '.config')): void {
  mkdirSync(join(folder, 'messaging'), { recursive: true });
  const text = typeof config === 'string' || Buffer.isBuffer(config) ? config : JSON.stringify(config);
  writeFileSync(join(folder, 'messaging', 'config.json'), text);
}

/** A complete profile of the sandbox. */
const profile = (more: object = {}): object => ({
  baseUrl: sandbox.baseUrl,
  namespace: sandbox.namespace,
  apiKeyFile: 'key',
  successStatuses: [200],
  ...more,
});

/** Runs a command line with the home folder, and nothing else in its environment. */
function run(line: string, environment: NodeJS.ProcessEnv = {}, options: RunOptions = {}): Promise<Outcome> {
  return messaging(shellWords(line), { ...options, environment: { HOME: home, ...environment } });
}

interface Row {
  readonly setting: string;
  readonly value: string;
  readonly source: string;
}

async function config(line = '', environment: NodeJS.ProcessEnv = {}): Promise<Record<string, string>> {
  const { stdout, stderr } = await run(`config --output json ${line}`, environment);
  if (stdout === '') throw new Error(stderr);
  return Object.fromEntries(
    (JSON.parse(stdout) as Row[]).map(({ setting, value, source }) => [setting, `${value} < ${source}`]),
  );
}

describe('a profile', () => {
  test('the profile default is used without being asked for, and makes a call complete', async () => {
    writeConfig({ profiles: { default: profile() } });
    expect(await run('remain-credit')).toMatchObject({ code: 0, stderr: '' });
  });

  test.each(['utf8', 'utf16le'] as const)(
    'a profile is read from a file in %s with a byte order mark',
    async (encoding) => {
      writeConfig(Buffer.from(`\ufeff${JSON.stringify({ profiles: { default: profile() } })}`, encoding));
      expect(await run('remain-credit')).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test('a profile is read through a symbolic link, with the key file beside the link', async () => {
    const dotfiles = join(home, 'dotfiles.json');
    writeFileSync(dotfiles, JSON.stringify({ profiles: { default: profile() } }));
    symlinkSync(dotfiles, join(home, '.config/messaging/config.json'));
    expect(await run('remain-credit')).toMatchObject({ code: 0, stderr: '' });
  });

  test('an option or a variable chooses the profile, and the option wins', async () => {
    writeConfig({ profiles: { a: { soapVersion: '1.1' }, b: { soapVersion: '1.2' } } });
    expect(await config('--profile b')).toMatchObject({ soapVersion: '1.2 < profile b' });
    expect(await config('', { MESSAGING_PROFILE: 'a' })).toMatchObject({ soapVersion: '1.1 < profile a' });
    expect(await config('--profile b', { MESSAGING_PROFILE: 'a' })).toMatchObject({ soapVersion: '1.2 < profile b' });
    expect(await config('')).toMatchObject({ soapVersion: '1.1 < default' });
  });

  test('profiles are read from XDG_CONFIG_HOME, unless its path is relative', async () => {
    writeConfig({ profiles: { default: { timeoutMs: 1 } } });
    writeConfig({ profiles: { default: { timeoutMs: 2 } } }, join(home, 'xdg'));
    expect(await config('', { XDG_CONFIG_HOME: join(home, 'xdg') })).toMatchObject({
      timeoutMs: '2 < profile default',
    });
    for (const folder of ['', 'xdg']) {
      expect(await config('', { XDG_CONFIG_HOME: folder })).toMatchObject({ timeoutMs: '1 < profile default' });
    }
  });

  test('a profile may have every setting except the API key', async () => {
    const values = {
      ...profile(),
      soapVersion: '1.2',
      timeoutMs: 5000,
      defaults: { msgmode: 1, unixdate: '0' },
      dates: 'seconds',
    };
    writeConfig({ profiles: { default: values } });
    expect(await config()).toMatchObject({
      apiKey: '*** < profile default',
      successStatuses: '[200] < profile default',
      soapVersion: '1.2 < profile default',
      timeoutMs: '5000 < profile default',
      defaults: '{"msgmode":1,"unixdate":"0"} < profile default',
      dates: 'seconds < profile default',
    });
    // The send takes unixdate and msgmode from there, and table dates are ISO 8601.
    expect(await run('send-simple --sender 3000 --message hi --receptor 911')).toMatchObject({ code: 0 });
    const { stdout } = await run('select-latest --pagesize 1', {}, { columns: 120 });
    expect(stdout).toMatch(/ \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /);
    expect(String(sandbox.requests.at(-1)?.headers['content-type'])).toContain('application/soap+xml');
  });

  test('a configuration file that others can change gets a warning, and a folder in its place is named', async () => {
    writeConfig({ profiles: { default: profile() } });
    const path = join(home, '.config/messaging/config.json');
    chmodSync(path, 0o666);
    expect(await run('remain-credit')).toMatchObject({
      code: 0,
      stderr: `warning: others can change ${path}: chmod 600 makes it private\n`,
    });
    rmSync(path);
    mkdirSync(path);
    expect(await run('remain-credit')).toMatchObject({
      code: 2,
      stderr: `error: ${path}: is a folder, and a file is needed\n`,
    });
  });

  test.each([
    ['{"profiles":', 'config.json: not JSON'],
    [{ profiles: { default: { confirm: 'yes' } } }, 'confirm of profile default: true or false is needed'],
    [{ profiles: [] }, 'config.json: profiles: an object is needed'],
    [
      { profiles: { default: { apiKey: KEY } } },
      'the API key cannot be here; put the key into a file and set apiKeyFile',
    ],
    [{ profiles: { default: { baseURL: 'x' } } }, 'profile default: unknown baseURL (known: baseUrl, namespace'],
    [{ profile: {} }, 'config.json: unknown profile (known: profiles)'],
    [
      { profiles: { default: { dates: 'days' } } },
      'dates of profile default: "days" is neither "seconds" nor "milliseconds"',
    ],
    [{ profiles: { default: { apiKeyFile: 5 } } }, 'apiKeyFile of profile default: a path is needed'],
    [{ profiles: { default: { apiKeyFile: 'none' } } }, 'apiKeyFile of profile default: ENOENT'],
    [{ profiles: { default: { defaults: 5 } } }, 'defaults of profile default: an object is needed'],
    [{ profiles: { default: { soapVersion: '1.3' } } }, 'soapVersion of profile default: "1.3" is neither'],
    [
      { profiles: { default: { successStatuses: 'x' } } },
      'successStatuses of profile default: "x" is not a whole number',
    ],
    [{ profiles: { default: { defaults: { colour: 1 } } } }, 'defaults of profile default: colour is not a field'],
  ])('the configuration file %j is refused in one line, with exit code 2', async (content, message) => {
    writeConfig(content);
    const complete = '--base-url http://127.0.0.1:1 --namespace http://x/';
    const statuses = JSON.stringify(content).includes('successStatuses') ? '' : '--success-statuses 1';
    const key = JSON.stringify(content).includes('apiKeyFile') ? {} : { MESSAGING_API_KEY: KEY };
    const { code, stdout, stderr } = await run(`remain-credit ${complete} ${statuses}`, key);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^error: [^\n]*\n$/);
    expect(stderr).not.toContain(KEY);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('a missing profile is a mistake only when it was asked for', async () => {
    expect(await run('config')).toMatchObject({ code: 0 });
    expect((await run('config --profile x')).stderr).toBe(
      `error: --profile x: there is no file ${join(home, '.config/messaging/config.json')}\n`,
    );
    writeConfig({ profiles: { a: {}, b: {} } });
    expect(await run('config')).toMatchObject({ code: 0 });
    expect((await run('config --profile x')).stderr).toMatch(
      /^error: --profile x: .* has no such profile \(profiles: a, b\)\n$/,
    );
    expect((await run('config', { MESSAGING_PROFILE: 'x' })).stderr).toMatch(
      /^error: MESSAGING_PROFILE=x: .* has no such/,
    );
  });

  test.each(['contract diff', 'wsdl'])('messaging %s takes settings from a profile', async (command) => {
    writeConfig({ profiles: { a: profile() } });
    const { code, stdout } = await run(`${command} --profile a`);
    expect(stdout).toContain(sandbox.baseUrl);
    expect(code).toBe(0);
  });
});

describe('settings', () => {
  test('an option wins over the environment, the environment wins over the profile, and config names the source', async () => {
    writeConfig({ profiles: { default: profile({ namespace: 'http://profile/', soapVersion: '1.1' }) } });
    const environment = { MESSAGING_NAMESPACE: 'http://variable/', MESSAGING_TIMEOUT_MS: '5' };
    expect(await config('--namespace http://option/', environment)).toEqual({
      baseUrl: `${sandbox.baseUrl} < profile default`,
      finalStatuses: ' < not set',
      namespace: 'http://option/ < --namespace',
      apiKeyFile: `${join(home, '.config/messaging/key')} < profile default`,
      apiKey: '*** < profile default',
      successStatuses: '[200] < profile default',
      soapVersion: '1.1 < profile default',
      timeoutMs: '5 < MESSAGING_TIMEOUT_MS',
      retries: '0 < default',
      caFile: ' < not set',
      proxy: ' < not set',
      defaults: ' < not set',
      dates: ' < not set',
    });
    expect(await config('', environment)).toMatchObject({ namespace: 'http://variable/ < MESSAGING_NAMESPACE' });
  });

  test('config does not show the user and the password of a proxy', async () => {
    const MESSAGING_PROXY = 'http://me:secret@proxy.example:3128';
    expect(await config('', { MESSAGING_PROXY })).toMatchObject({
      proxy: 'http://***@proxy.example:3128 < MESSAGING_PROXY',
    });
  });

  test('a key from the environment wins over the file of a profile, and a file option over both', async () => {
    writeConfig({ profiles: { default: profile() } });
    writeFileSync(join(home, 'other'), 'other-key', { mode: 0o600 });
    const environment = { MESSAGING_API_KEY: 'third-key' };
    const keyOf = async (line: string, variables: NodeJS.ProcessEnv = {}): Promise<string> => {
      await run(`remain-credit ${line}`, variables);
      return /<apikey>(.*)<\/apikey>/.exec(String(sandbox.requests.at(-1)?.body))?.[1] ?? '';
    };
    expect(await keyOf('')).toBe(KEY);
    expect(await keyOf('', environment)).toBe('third-key');
    expect(await keyOf(`--api-key-file ${join(home, 'other')}`, environment)).toBe('other-key');
    expect(await keyOf('--api-key fourth-key', environment)).toBe('fourth-key');
  });

  test('a key file with a blank after the key is refused by the name of its option, without the key', async () => {
    const path = join(home, 'key-and-blank');
    writeFileSync(path, 's3cret \n', { mode: 0o600 });
    const { code, stderr } = await run(`remain-credit --api-key-file ${path}`);
    expect(stderr).toMatch(/; --api-key-file: white space before or after the key/);
    expect(stderr).not.toContain('s3cret');
    expect(code).toBe(2);
  });

  test('a key file that others can read works, with a warning', async () => {
    writeConfig({ profiles: { default: profile() } });
    const path = join(home, '.config/messaging/key');
    chmodSync(path, 0o644);
    const { code, stderr } = await run('remain-credit');
    expect(stderr).toBe(
      `warning: apiKeyFile of profile default: others can read ${path}: chmod 600 makes it private\n`,
    );
    expect(code).toBe(0);
  });

  test('defaults give the values of missing fields, and a long in a string is exact', async () => {
    const environment = environmentOf(sandbox);
    const defaults = `--defaults '{"msgmode":-1,"unixdate":"9007199254740993"}'`;
    expect(await run(`send-simple --sender 1 --message a --receptor 911 ${defaults}`, environment)).toMatchObject({
      code: 0,
    });
    expect(String(sandbox.requests.at(-1)?.body)).toContain(
      '<unixdate>9007199254740993</unixdate><msgmode>-1</msgmode>',
    );
    // One given on the command line wins.
    await run(`send-simple --sender 1 --message a --receptor 911 --msgmode 7 ${defaults}`, environment);
    expect(String(sandbox.requests.at(-1)?.body)).toContain('<msgmode>7</msgmode>');
    expect((await run(`send-simple --sender 1 ${defaults}`, environment)).stderr).toBe(
      'error: missing: --message, --receptor\n',
    );
  });

  test.each([
    [
      '{"unixdate":9007199254740993}',
      '--defaults: unixdate: JSON does not hold this number exactly; write it as a string',
    ],
    ['{"unixdate":1.5}', '--defaults: unixdate: 1.5 is not a whole number'],
    ['{"secret"', '--defaults: not JSON'],
    ['[1]', '--defaults: an object is needed'],
    ['{"unixdate":"abc","receptor":["911"]}', 'error: --defaults: unixdate: an xsd:long'],
    ['{"unixdate":1,"receptor":["911",5]}', 'error: --defaults: receptor (value 2): '],
    ['{"colour":1}', '--defaults: colour is not a field of any request'],
  ])('the defaults %s are refused in one line', async (json, message) => {
    const fields = ['--sender', '1', '--message', 'a', '--msgmode', '1'];
    const { code, stderr } = await messaging(['send-simple', ...fields, '--defaults', json], {
      environment: environmentOf(sandbox),
    });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret');
    expect(code).toBe(2);
  });

  test('the error about a wrong default in a profile names the profile', async () => {
    writeConfig({ profiles: { default: profile({ defaults: { pagesize: true } }) } });
    expect((await run('select-latest')).stderr).toMatch(/^error: defaults of profile default: pagesize: /);
  });

  test('dates are numbers until their unit is set', async () => {
    const environment = environmentOf(sandbox);
    const line = 'select-outbox --start-unixdate 2026-01-01 --end-unixdate 2026-12-31T23:59:59Z';
    expect((await run(line, environment)).stderr).toBe(
      'error: --start-unixdate: "2026-01-01" is not a date: write a whole number; --dates seconds or milliseconds lets it be an ISO 8601 date; ' +
        '--end-unixdate: "2026-12-31T23:59:59Z" is not a date: write a whole number; --dates seconds or milliseconds lets it be an ISO 8601 date\n',
    );
    expect(await run(`${line} --dates milliseconds`, environment)).toMatchObject({ code: 0 });
    expect(String(sandbox.requests.at(-1)?.body)).toContain(
      '<startUnixdate>1767225600000</startUnixdate><endUnixdate>1798761599000</endUnixdate>',
    );
  });
});

describe('config', () => {
  test('config --list prints the profiles with their base URLs', async () => {
    writeConfig({
      profiles: { live: { baseUrl: 'https://me:pass-word@provider.example', confirm: true }, reports: {} },
    });
    expect(await run('config --list')).toEqual({
      code: 0,
      stdout: 'profile,baseUrl\r\nlive,https://***@provider.example\r\nreports,""\r\n',
      stderr: '',
    });
  });

  test('config --list says how to make a profile when there is none', async () => {
    expect(await run('config --list')).toMatchObject({
      code: 0,
      stderr: 'there are no profiles: `messaging setup` makes one\n',
    });
  });

  test.each(['c2VjcmV0/a2V5==', 'eyJhbGciOi.eyJzdWIi.c2lnbmF0', 'x'.repeat(5000)])(
    'a key in the place of its file is never printed: %s',
    async (key) => {
      const environment = { ...environmentOf(sandbox), MESSAGING_API_KEY: '', MESSAGING_API_KEY_FILE: key };
      for (const line of [
        'remain-credit',
        'config',
        'config --env sh',
        'doctor',
        `remain-credit --api-key-file ${key}`,
      ]) {
        const { stdout, stderr } = await run(line, environment);
        expect(stdout + stderr).not.toContain(key.slice(0, 20));
      }
    },
  );

  test('config shows neither the user and the password of a proxy without a scheme nor those of a base URL', async () => {
    expect(
      await config('--proxy me:pass-word@proxy.example:3128 --base-url http://me:pass-word@x.example'),
    ).toMatchObject({
      proxy: '***@proxy.example:3128 < --proxy',
      baseUrl: 'http://***@x.example < --base-url',
    });
  });

  test('messaging config prints a table on a terminal, and shows no API key, whatever its source is', async () => {
    const environment = { ...environmentOf(sandbox), MESSAGING_NAMESPACE: `http://x/${KEY}/` };
    for (const options of [{}, { columns: 100 }]) {
      const { code, stdout, stderr } = await run('config', environment, options);
      expect(stdout).toContain('***');
      expect(stdout + stderr).not.toContain(KEY);
      expect(code).toBe(0);
    }
  });

  test('messaging config prints every setting, also when the key file cannot be read', async () => {
    writeConfig({ profiles: { default: profile({ apiKeyFile: 'none' }) } });
    const { code, stdout, stderr } = await run('config');
    expect(stderr).toMatch(/^warning: apiKeyFile of profile default: ENOENT.*\n$/);
    expect(stdout).toContain(`apiKeyFile,${join(home, '.config/messaging/none')},profile default`);
    expect(stdout).toContain('apiKey,"",not set');
    expect(code).toBe(0);
  });

  test('messaging config prints a setting with a wrong value as it is', async () => {
    expect(await config('--base-url nonsense --success-statuses x')).toMatchObject({
      baseUrl: 'nonsense < --base-url',
      successStatuses: 'x < --success-statuses',
    });
  });
});
