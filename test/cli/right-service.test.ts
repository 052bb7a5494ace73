import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { kebabCase } from '../../src/cli/fields/option-names';
import { type SettingName, settingRow } from '../../src/client/options/settings';
import { NAMESPACE, responseOf } from '../support/envelopes';
import { makeFolder } from '../support/folder';
import { testRows } from '../support/loops';
import { messaging, type Outcome } from './support';

// No command reaches a service that its user did not mean, and no API key leaves the service that it was stored with.

/** The status of each response. No source but those of the last table has it among the success statuses. */
const STATUS = 7;

/** A request as a service sees it. */
interface Seen {
  readonly service: Name;
  readonly key: string;
  readonly namespace: string;
  readonly contentType: string;
}

type Name = 'A' | 'B';

const servers: { readonly [K in Name]: Server } = { A: serve('A'), B: serve('B') };
let seen: Seen[] = [];
let home: string;

function serve(service: Name): Server {
  return createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const find = (pattern: RegExp) => pattern.exec(body)?.[1] ?? '';
      seen.push({
        service,
        key: find(/<apikey>([^<]*)</),
        namespace: find(/<RemainCreditByApiKey xmlns="([^"]*)"/),
        contentType: String(request.headers['content-type']),
      });
      const { namespace, contentType } = seen.at(-1) as Seen;
      const version = contentType.startsWith('text/xml') ? '1.1' : '1.2';
      const text = responseOf('RemainCreditByApiKey', '5', { status: STATUS, version });
      response.writeHead(200, { 'Content-Type': contentType }).end(text.replaceAll(NAMESPACE, namespace));
    });
  });
}

const urlOf = (name: Name): string => `http://127.0.0.1:${(servers[name].address() as AddressInfo).port}`;

beforeAll(async () => {
  for (const server of Object.values(servers))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  home = makeFolder();
  mkdirSync(join(home, 'messaging'));
});
afterAll(() => {
  for (const server of Object.values(servers)) server.close();
});
beforeEach(() => {
  seen = [];
});

/** What a source gives. A namespace and a key have the name of their source in them. */
interface Given {
  readonly url?: Name | undefined;
  readonly namespace?: boolean;
  readonly key?: boolean;
}

interface Combination {
  readonly flags: Given;
  readonly named: Given | undefined;
  readonly variables: Given;
  readonly byDefault: Given | undefined;
}

const namespaceOf = (source: string) => `urn:${source}`;
const keyOf = (source: string) => `key-of-${source}`;

function profileOf(source: string, { url, namespace, key }: Given): object {
  if (key) writeFileSync(join(home, 'messaging', source), `${keyOf(source)}\n`, { mode: 0o600 });
  return {
    ...(url && { baseUrl: urlOf(url) }),
    ...(namespace && { namespace: namespaceOf(source) }),
    ...(key && { apiKeyFile: source }),
  };
}

function run(command: readonly string[], { flags, named, variables, byDefault }: Combination): Promise<Outcome> {
  const profiles = {
    ...(named && { named: profileOf('named', named) }),
    ...(byDefault && { default: profileOf('default', byDefault) }),
  };
  writeFileSync(join(home, 'messaging', 'config.json'), JSON.stringify({ profiles }));
  const args = [
    ...(flags.url ? ['--base-url', urlOf(flags.url)] : []),
    ...(flags.namespace ? ['--namespace', namespaceOf('flags')] : []),
    ...(flags.key ? ['--api-key', keyOf('flags')] : []),
    ...(named ? ['--profile', 'named'] : []),
  ];
  const environment = {
    XDG_CONFIG_HOME: home,
    ...(variables.url && { MESSAGING_BASE_URL: urlOf(variables.url) }),
    ...(variables.namespace && { MESSAGING_NAMESPACE: namespaceOf('variables') }),
    ...(variables.key && { MESSAGING_API_KEY: keyOf('variables') }),
  };
  return messaging([...command, ...args], { environment });
}

/** The request that a combination leads to, or words of the refusal. It says the rule of the docs once more. */
function expectedOf({
  flags,
  named,
  variables,
  byDefault,
}: Combination): Omit<Seen, 'contentType'> | 'missing' | 'leave one of them out' {
  if (named?.url && flags.url && named.url !== flags.url) return 'leave one of them out';
  const service = flags.url ?? (named ? named.url : (variables.url ?? byDefault?.url));
  if (!service) return 'missing';
  const fits = (source: Given | undefined): source is Given =>
    source !== undefined && (source.url ?? service) === service;
  const sources = { flags, named, variables, default: named ? undefined : byDefault };
  const find = (name: 'key' | 'namespace') =>
    (Object.keys(sources) as (keyof typeof sources)[]).find((source) => {
      const isKeyOnly = named !== undefined && source === 'variables';
      const values = sources[source];
      return fits(values) && values[name] && (name === 'key' || !isKeyOnly);
    });
  const [key, namespace] = [find('key'), find('namespace')];
  return key && namespace ? { service, key: keyOf(key), namespace: namespaceOf(namespace) } : 'missing';
}

const urls = [undefined, 'A', 'B'] as const;
const both = [false, true] as const;
const given: readonly Given[] = urls.flatMap((url) =>
  both.flatMap((namespace) => both.map((key) => ({ url, namespace, key }))),
);
const profiles: readonly (Given | undefined)[] = [
  undefined,
  { url: 'A', namespace: true, key: true },
  { url: 'A', namespace: true },
  { namespace: true, key: true },
];
const defaults: readonly (Given | undefined)[] = [undefined, { url: 'B', namespace: true, key: true }, { key: true }];

const show = (value: Given | undefined) =>
  value
    ? [value.url, value.namespace && 'namespace', value.key && 'key'].filter(Boolean).join(' ') || 'nothing'
    : 'none';
const table = profiles.flatMap((named) =>
  defaults.flatMap((byDefault) => given.map((flags) => ({ named, byDefault, flags }))),
);

testRows(
  table.map((row) => [show(row.flags), show(row.named), show(row.byDefault), row] as const),
  'with the options %s, the named profile %s and the default profile %s, a call goes to the service that is meant, whatever the variables are',
  async (_flags, _named, _default, row) => {
    for (const variables of given) {
      const combination = { ...row, variables };
      const expected = expectedOf(combination);
      seen = [];
      const { code, stderr } = await run(['remain-credit', '--success-statuses', '200'], combination);
      if (typeof expected === 'string') {
        expect({ variables, seen, code }).toEqual({ variables, seen: [], code: 2 });
        expect(stderr).toContain(expected);
      } else {
        expect({ variables, seen, code }).toEqual({ variables, seen: [expect.objectContaining(expected)], code: 3 });
      }
      if (row.flags.url === 'B' && variables.url !== 'B') await expectSameConfig(combination, expected);
    }
  },
);

/** `config` says the same as a call. */
async function expectSameConfig(combination: Combination, expected: ReturnType<typeof expectedOf>): Promise<void> {
  if (typeof expected === 'string') return;
  const { stdout } = await run(['config', '--output', 'json'], combination);
  const rows: Record<string, { value: string; source: string }> = Object.fromEntries(
    JSON.parse(stdout).map((row: { setting: string }) => [row.setting, row]),
  );
  expect(rows.baseUrl?.value).toBe(urlOf(expected.service));
  expect(rows.namespace?.value).toBe(expected.namespace);
  const sources = {
    flags: '--api-key',
    variables: 'MESSAGING_API_KEY',
    named: 'profile named',
    default: 'profile default',
  };
  expect(rows.apiKey?.source).toBe(sources[expected.key.slice('key-of-'.length) as keyof typeof sources]);
}

/** Settings that a weak source gives beside a strong one, and whether a call uses them. */
describe.each([
  ['flags', 'variables'],
  ['flags', 'default'],
  ['flags', 'named'],
  ['named', 'variables'],
  ['variables', 'default'],
] as const)('beside the settings of %s, those of %s', (strong, weak) => {
  /** Each setting with a value that has an effect, and the effect. A wrong value is refused when it is used. */
  const settings: Readonly<Record<string, [value: unknown, isUsed: (outcome: Outcome) => boolean]>> = {
    namespace: ['urn:weak', () => seen[0]?.namespace === 'urn:weak'],
    apiKey: ['key-of-weak', () => seen[0]?.key === 'key-of-weak'],
    successStatuses: [[STATUS], ({ code }) => code === 0],
    soapVersion: ['1.2', () => seen[0]?.contentType.startsWith('application/soap+xml') === true],
    proxy: ['http://127.0.0.1:1', ({ stderr }) => stderr.includes('check --proxy')],
    finalStatuses: ['wrong', refused],
    timeoutMs: ['wrong', refused],
    retries: ['wrong', refused],
    caFile: ['wrong', refused],
    defaults: ['wrong', refused],
    dates: ['wrong', refused],
  };

  test.each(
    Object.keys(settings).flatMap((name) =>
      (['another', 'the same', 'no'] as const).map((url) => [name, url] as const),
    ),
  )('%s with %s base URL', async (name, url) => {
    const [value, isUsed] = settings[name] as (typeof settings)[string];
    const complete = { baseUrl: urlOf('A'), namespace: 'urn:strong', apiKey: 'key-of-strong', successStatuses: [1] };
    const own = url === 'no' ? {} : { baseUrl: urlOf(url === 'another' ? 'B' : 'A') };
    const values = { [strong]: { ...complete, [name]: undefined }, [weak]: { ...own, [name]: value } };
    const outcome = await runWith(values);
    const isKeyOnly = strong === 'named' && name !== 'apiKey';
    expect(isUsed(outcome)).toBe(url !== 'another' && !isKeyOnly);
    expect(seen.filter(({ service, key }) => service !== 'A' || (url === 'another' && key === 'key-of-weak'))).toEqual(
      [],
    );
  });
});

function refused({ code, stderr }: Outcome): boolean {
  return code === 2 && !stderr.includes('missing') && !stderr.includes('leave one of them out');
}

/** Runs a call with the settings of the command line, the variables, a named profile and the profile `default`. */
function runWith(sources: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<Outcome> {
  const text = (value: unknown) => (Array.isArray(value) ? value.join(',') : String(value));
  const entries = (source: string) => Object.entries(sources[source] ?? {}).filter(([, value]) => value !== undefined);
  const profiles = ['named', 'default'].flatMap((name) => {
    if (!sources[name]) return [];
    const { apiKey, ...values } = sources[name];
    if (apiKey !== undefined) writeFileSync(join(home, 'messaging', name), String(apiKey), { mode: 0o600 });
    return [[name, { ...values, ...(apiKey !== undefined && { apiKeyFile: name }) }]];
  });
  writeFileSync(join(home, 'messaging', 'config.json'), JSON.stringify({ profiles: Object.fromEntries(profiles) }));
  const options = entries('flags').flatMap(([name, value]) => [`--${kebabCase(name)}`, text(value)]);
  const variables = entries('variables').map(([name, value]) => [
    settingRow(name as SettingName).variable,
    text(value),
  ]);
  const environment = { XDG_CONFIG_HOME: home, ...Object.fromEntries(variables) };
  return messaging(['remain-credit', ...options, ...(sources.named ? ['--profile', 'named'] : [])], { environment });
}

test('one line names what is ignored and differs, because of --profile and because of another base URL', async () => {
  const whole = { namespace: true, key: true } as const;
  const call = ['remain-credit', '--success-statuses', '200'];
  const named = { url: 'A', ...whole } as const;
  const same = { flags: {}, named, variables: { url: 'A' }, byDefault: undefined } as const;
  expect((await run(call, same)).stderr).not.toContain('ignored');
  const other = { ...same, variables: { url: 'B', ...whole } } as const;
  expect((await run(call, other)).stderr).toMatch(
    `ignored because of --profile named: MESSAGING_BASE_URL (${urlOf('B')}), MESSAGING_NAMESPACE, MESSAGING_API_KEY\n`,
  );
  const flags = { flags: { url: 'A', ...whole }, named: undefined, variables: { url: 'B', ...whole } } as const;
  expect((await run(call, { ...flags, byDefault: { url: 'B', ...whole } })).stderr).toMatch(
    `ignored because of --base-url: MESSAGING_BASE_URL (${urlOf('B')}), MESSAGING_NAMESPACE, MESSAGING_API_KEY, profile default (${urlOf('B')})\n`,
  );
});

test('a refusal names what is missing, and what was left out because it belongs to which service', async () => {
  const variables = { url: 'A', namespace: true, key: true } as const;
  const combination = { flags: { url: 'B' }, named: undefined, variables, byDefault: undefined } as const;
  const refusal =
    'missing: --namespace (or MESSAGING_NAMESPACE), --api-key-file (or MESSAGING_API_KEY), --success-statuses (or MESSAGING_SUCCESS_STATUSES); ' +
    `ignored because of --base-url: MESSAGING_BASE_URL (${urlOf('A')}), MESSAGING_NAMESPACE, MESSAGING_API_KEY`;
  expect((await run(['remain-credit'], combination)).stderr).toBe(`error: ${refusal}\n`);
  const { stdout } = await run(['doctor', '--output', 'csv'], combination);
  expect(stdout).toBe(`step,result,detail\r\nsettings,failed,"${refusal}"\r\n`);
});

test('no message shows the password, the query or the key that an ignored address contains', async () => {
  const addressOf = (key: string) => `http://me:pass-word@provider.example/${key}?apikey=other-word`;
  const environment = {
    XDG_CONFIG_HOME: home,
    MESSAGING_BASE_URL: addressOf('canary-1'),
    MESSAGING_API_KEY: 'canary-1',
  };
  writeFileSync(join(home, 'messaging', 'canary'), 'canary-2', { mode: 0o600 });
  const profiles = { default: { baseUrl: addressOf('canary-2'), apiKeyFile: 'canary' } };
  writeFileSync(join(home, 'messaging', 'config.json'), JSON.stringify({ profiles }));
  for (const line of [
    ['remain-credit', '--base-url', urlOf('A')],
    ['remain-credit', '--base-url', urlOf('A'), '--profile', 'default'],
    ['config', '--base-url', urlOf('A')],
    ['contract', 'diff', '--base-url', urlOf('A')],
    ['config', '--list'],
    ['config', '--profile', 'default'],
  ]) {
    const { stdout, stderr } = await messaging(line, { environment });
    expect(stdout + stderr).toContain('provider.example/***');
    expect(stdout + stderr).not.toMatch(/canary-|pass-word|other-word/);
  }
});

test('an API key and a key file in variables are refused only when the key would be taken from them', async () => {
  writeFileSync(join(home, 'key'), 'key-of-a-file\n', { mode: 0o600 });
  rmSync(join(home, 'messaging', 'config.json'));
  const two = { XDG_CONFIG_HOME: home, MESSAGING_API_KEY: 'key-1', MESSAGING_API_KEY_FILE: join(home, 'key') };
  const args = ['remain-credit', '--base-url', urlOf('A'), '--namespace', 'urn:x', '--success-statuses', '200'];
  expect(await messaging(args, { environment: two })).toMatchObject({
    code: 2,
    stderr: 'error: MESSAGING_API_KEY: MESSAGING_API_KEY_FILE gives a key too: use one of them\n',
  });
  const options = [...args, '--api-key-file', join(home, 'key')];
  expect(await messaging(options, { environment: two })).toMatchObject({ code: 3 });
  expect(await messaging(args, { environment: { ...two, MESSAGING_BASE_URL: urlOf('B') } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('missing: --api-key-file'),
  });
  expect(seen).toMatchObject([{ service: 'A', key: 'key-of-a-file', namespace: 'urn:x' }]);
});
