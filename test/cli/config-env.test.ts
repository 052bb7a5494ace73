import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../../src/client/options/environment';
import { makeFolder } from '../support/folder';
import { messaging } from './support';

const profile = {
  baseUrl: 'https://provider.example/sms',
  namespace: "http://provider.example/it's",
  successStatuses: [1, 200],
  finalStatuses: [6, 10],
  soapVersion: '1.2',
  timeoutMs: 5000,
  proxy: 'http://127.0.0.1:3128',
  defaults: { msgmode: 1, unixdate: '9007199254740993' },
  dates: 'milliseconds',
};

/** A profile `live`, whose key is in a file. */
function makeHome(values: object = profile): string {
  const home = makeFolder();
  const folder = join(home, '.config/messaging');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'live.key'), 'canary-of-live\n', { mode: 0o600 });
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles: { live: values } }));
  return home;
}

const config = (home: string, format: string, environment: NodeJS.ProcessEnv = {}) =>
  messaging(['config', '--profile', 'live', '--env', format], { environment: { HOME: home, ...environment } });

/** Reads the variables that a shell or node has after it read a text. */
const PRINT = 'console.log(JSON.stringify(process.env))';
const readers: Readonly<Record<string, (text: string, folder: string) => string>> = {
  sh: (text) => execFileSync('sh', ['-c', `${text}\n"$0" -e '${PRINT}'`, process.execPath], { encoding: 'utf8' }),
  dotenv: (text, folder) => {
    writeFileSync(join(folder, '.env'), text);
    return execFileSync(process.execPath, [`--env-file=${join(folder, '.env')}`, '-e', PRINT], { encoding: 'utf8' });
  },
};

test.each(['sh', 'dotenv'])(
  'config --env %s prints variables from which fromEnv reads the same options',
  async (format) => {
    const home = makeHome({ ...profile, apiKeyFile: 'live.key' });
    const { code, stdout } = await config(home, format);
    expect(code).toBe(0);
    expect(stdout).not.toContain('canary');
    const environment = JSON.parse(readers[format]?.(stdout, home) as string);
    const { options, problems } = readEnvironment({}, environment);
    const { dates: _, ...others } = profile;
    expect(JSON.parse(JSON.stringify({ ...options, defaults: undefined }))).toEqual({
      ...others,
      defaults: undefined,
      apiKey: 'canary-of-live',
    });
    expect(options.defaults).toEqual({ msgmode: 1, unixdate: 9_007_199_254_740_993n });
    expect(problems).toEqual([]);
    expect(environment.MESSAGING_DATES).toBe('milliseconds');
  },
);

test.each(['sh', 'dotenv'])('config --env %s removes the variables of another service', async (format) => {
  const other = {
    MESSAGING_API_KEY: 'key-of-another-service',
    MESSAGING_CA_FILE: 'none.pem',
    MESSAGING_RETRIES: '7',
    MESSAGING_BASE_URL: 'https://another.example',
  };
  const home = makeHome({ ...profile, apiKeyFile: 'live.key' });
  const { stdout } = await config(home, format);
  const before = Object.entries(other).map(([name, value]) => (format === 'sh' ? `export ${name}=${value}` : ''));
  const environment = JSON.parse(readers[format]?.([...before, stdout].join('\n'), home) as string);
  const { options, problems } = readEnvironment({}, environment);
  expect(options).toMatchObject({ apiKey: 'canary-of-live', baseUrl: profile.baseUrl, retries: undefined });
  expect(problems).toEqual([]);
});

test('config --env powershell quotes values as PowerShell reads them', async () => {
  const { stdout } = await config(makeHome(), 'powershell');
  expect(stdout).toContain("$env:MESSAGING_NAMESPACE = 'http://provider.example/it''s'\n");
  expect(stdout).toMatch(/^Remove-Item -ErrorAction Ignore -Path Env:MESSAGING_API_KEY_FILE, Env:MESSAGING_API_KEY, /);
  expect(stdout).toContain(`$env:MESSAGING_DEFAULTS = '{"msgmode":1,"unixdate":"9007199254740993"}'\n`);
});

test.each([
  ['no key', {}, '# MESSAGING_API_KEY is not set\n'],
  [
    'a key of a variable',
    { MESSAGING_API_KEY: 'canary-key' },
    '# MESSAGING_API_KEY comes from MESSAGING_API_KEY, and is not shown\n',
  ],
  [
    'a key in the place of its file',
    { MESSAGING_API_KEY_FILE: 'canary/key' },
    '# MESSAGING_API_KEY is not in the file that MESSAGING_API_KEY_FILE names\n',
  ],
])('config --env with %s says where the key comes from', async (_, environment, line) => {
  const { stdout } = await config(makeHome(), 'sh', environment);
  expect(stdout.endsWith(line)).toBe(true);
  // The key stays in its variable.
  for (const name of Object.keys(environment)) expect(stdout).not.toMatch(new RegExp(`unset .*${name}\\b`));
  expect(stdout).not.toContain('canary');
});

test('config --env refuses a value that the format cannot hold, and options for a table', async () => {
  const home = makeHome({ ...profile, namespace: 'a\'b"c`d' });
  expect(await config(home, 'dotenv')).toMatchObject({ code: 2, stdout: '' });
  const { code, stderr } = await messaging(['config', '--env', 'sh', '--output', 'json'], { environment: {} });
  expect([code, stderr]).toEqual([2, 'error: --env: leave out --list and the options for the output\n']);
});
