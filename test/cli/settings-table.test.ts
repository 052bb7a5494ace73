import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BulkView } from '../../src/bulk/state/bulk-journal';
import type { BulkCall } from '../../src/cli/commands/bulk/command';
import { readService } from '../../src/cli/commands/bulk/service';
import { checkSettings } from '../../src/cli/settings/session';
import { readSettings, type SettingFlags } from '../../src/cli/settings/settings';
import { resolveOptions } from '../../src/client/options/client';
import { readEnvironment } from '../../src/client/options/environment';
import type { SettingsInForce } from '../../src/client/options/sources';
import { ConfigurationError } from '../../src/errors';
import { makeFolder } from '../support/folder';
import { isFull } from '../support/loops';

/*
 * Which service a program, a call and a list reach with which key, for every combination of their sources. The table is
 * in a file of its own. A push tests every fifth line, and so each option and each profile with others. When a line of it changes, a key may go to another service than before: compare each line.
 *
 * A source names the service A, the service B or none (.), and gives a key (k), a key file (f), both (b) or none (.).
 * A cell names the service, the source and the kind of the key, and the source of the statuses, or why the command is
 * refused. An exclamation mark stands for a line about settings that are ignored.
 */

const TABLE = join(__dirname, '../fixtures/settings-table.txt');

const urls = { A: 'https://a.example/sms', B: 'https://b.example/sms', '.': undefined } as const;
type Url = keyof typeof urls;
type Key = 'k' | 'f' | 'b' | '.';
type Given = `${Url}${Key}`;

const every: readonly Given[] = (['A', 'B', '.'] as const).flatMap((url) =>
  (['k', 'f', 'b', '.'] as const).map((key): Given => `${url}${key}`),
);
/** A profile has no key of its own. */
const ofProfile = every.filter((given) => !/[kb]/.test(given));

/** The sources, with the status that each gives. The options give none. */
const statuses = { V: '101', P: '102', D: '103', J: '104' } as const;
type SourceName = keyof typeof statuses | 'F' | 'S';

let folder: string;
const keyFile = (source: SourceName) => join(folder, `${source}f`);

/** The settings that a source gives, by their names. */
function settingsOf(source: SourceName, given: Given): Record<string, string> {
  const [url, key] = given as unknown as [Url, Key];
  return {
    ...(urls[url] && { baseUrl: urls[url] }),
    ...((key === 'k' || key === 'b') && { apiKey: `${source}k` }),
    ...((key === 'f' || key === 'b') && { apiKeyFile: keyFile(source) }),
    ...(source in statuses && { successStatuses: statuses[source as keyof typeof statuses] }),
  };
}

function variablesOf(given: Given): NodeJS.ProcessEnv {
  const { baseUrl, apiKey, apiKeyFile, successStatuses } = settingsOf('V', given);
  return {
    MESSAGING_BASE_URL: baseUrl,
    MESSAGING_API_KEY: apiKey,
    MESSAGING_API_KEY_FILE: apiKeyFile,
    MESSAGING_SUCCESS_STATUSES: successStatuses,
  };
}

const homeOf = (byDefault: Given | undefined) => join(folder, `home${byDefault ?? ''}`);

beforeAll(() => {
  folder = makeFolder();
  for (const source of ['F', 'V', 'P', 'D', 'J', 'S'] as const)
    writeFileSync(keyFile(source), `${source}f\n`, { mode: 0o600 });
  const stored = { S: { ...settingsOf('S', 'Af'), successStatuses: '105' } };
  const named = Object.fromEntries(ofProfile.map((given) => [`P${given}`, settingsOf('P', given)]));
  for (const byDefault of [undefined, ...ofProfile]) {
    const profiles = { ...stored, ...named, ...(byDefault && { default: settingsOf('D', byDefault) }) };
    mkdirSync(join(homeOf(byDefault), 'messaging'), { recursive: true });
    const path = join(homeOf(byDefault), 'messaging/config.json');
    writeFileSync(path, JSON.stringify({ profiles }), { mode: 0o600 });
  }
  writeFileSync(join(folder, 'journal'), '');
});

/** The profile that an option names, or the one that is there by default. */
type ProfileCase = { readonly named?: Given; readonly byDefault?: Given };
const nameOf = ({ named, byDefault }: ProfileCase) => (named ? `P ${named}` : `D ${byDefault ?? 'no'}`);
const allProfiles: readonly ProfileCase[] = [
  ...ofProfile.map((named) => ({ named })),
  {},
  ...ofProfile.map((byDefault) => ({ byDefault })),
];

/** What a command line and its environment come to. */
function outcomeOf(
  read: (flags: SettingFlags, call: Pick<BulkCall, 'context'>) => SettingsInForce,
  flag: Given,
  variables: Given,
  { named, byDefault }: ProfileCase,
): string {
  const lines: string[] = [];
  const environment = { ...variablesOf(variables), XDG_CONFIG_HOME: homeOf(byDefault) };
  const context = { io: { environment }, log: (line: string) => lines.push(line) } as unknown as BulkCall['context'];
  const flags = { ...settingsOf('F', flag), namespace: 'n', ...(named && { profile: `P${named}` }) };
  return cellOf(() => checkSettings(read(flags, { context }), context).options, lines);
}

function cellOf(
  read: () => { readonly baseUrl: unknown; readonly apiKey: unknown; readonly successStatuses: ReadonlySet<number> },
  lines: readonly string[] = [],
): string {
  let cell: string;
  let failure = '';
  try {
    const { baseUrl, apiKey, successStatuses } = read();
    const [url] = Object.entries(urls).find(([, value]) => value === baseUrl) ?? ['?'];
    const [source] = Object.entries(statuses).find(([, value]) => value === [...successStatuses].join()) ?? ['S'];
    cell = `${url}${apiKey}${source}`;
  } catch (error) {
    const { message } = error as Error;
    failure = message;
    const missing = [...(/missing: [^;]*/.exec(message)?.[0] ?? '').matchAll(/--(base-url|success|api-key)/g)];
    if (missing.length > 0) cell = missing.map(([, name = '']) => `-${name[0]}`).join('');
    else if (/gives a key too/.test(message)) cell = 'two';
    else if (/--base-url is .*, and --profile/.test(message)) cell = 'url';
    else if (/this list has/.test(message)) cell = 'list';
    else if (error instanceof ConfigurationError) cell = error.problems.map(({ option }) => `-${option[0]}`).join('');
    else throw error;
  }
  const told = [...lines, failure].join('\n');
  return `${cell}${/ignored|is not used|none of them is used/.test(told) ? '!' : ''}`.padEnd(7);
}

function* describeCall(
  title: string,
  profiles: readonly ProfileCase[],
  read: (flags: SettingFlags, call: Pick<BulkCall, 'context'>) => SettingsInForce,
): Generator<string | undefined> {
  yield `# ${title}: the profile, the options, and each kind of the variables`;
  yield `             ${every.map((given) => given.padEnd(7)).join(' ')}`;
  for (const [block, profile] of profiles.entries()) {
    for (const [row, flag] of every.entries()) {
      if (!isFull && (block * every.length + row) % 5 > 0) {
        yield undefined;
        continue;
      }
      const cells = every.map((variables) => outcomeOf(read, flag, variables, profile));
      yield `${nameOf(profile).padEnd(6)} F ${flag}: ${cells.join(' ')}`;
    }
  }
}

/** A list whose journal names the service A. */
function listOf(isLocked: boolean, kept: Readonly<Record<string, string>>): BulkView {
  const service = { baseUrl: urls.A, namespace: 'n' };
  return { settings: { ...service, successStatuses: statuses.J, ...kept }, list: { service }, isLocked } as never;
}

const readList =
  (state: BulkView | undefined) =>
  (flags: SettingFlags, { context }: Pick<BulkCall, 'context'>) =>
    readService({ flags, context, journal: join(folder, 'journal') } as unknown as BulkCall, state).inForce;

/** A list does not look at the default profile: with and without one are enough. */
const ofList: readonly ProfileCase[] = [...ofProfile.map((named) => ({ named })), {}, { byDefault: 'Af' }];

function* describeProgram(): Generator<string> {
  yield '# A program: the options, and each kind of the variables';
  yield `             ${every.map((given) => given.padEnd(7)).join(' ')}`;
  // A program has no option for the path of a key.
  for (const given of every.filter((one) => !/[fb]/.test(one))) {
    const cells = every.map((variables) =>
      cellOf(() => {
        const overrides = { ...settingsOf('F', given), namespace: 'n' };
        const { options, problems, keys } = readEnvironment(overrides, variablesOf(variables));
        return resolveOptions(options, problems, keys);
      }),
    );
    yield `       O ${given}: ${cells.join(' ')}`;
  }
}

test('the sources of every program, call and list come to what the table says', () => {
  const lines = [
    ...describeProgram(),
    ...describeCall('A call and an inbox', allProfiles, (flags, { context }) => readSettings(flags, context)),
    ...describeCall('A locked list with a key file', ofList, readList(listOf(true, { apiKeyFile: keyFile('J') }))),
    ...describeCall('A locked list with a profile', ofList, readList(listOf(true, { profile: 'S' }))),
    ...describeCall('A locked list without a key', ofList, readList(listOf(true, {}))),
    ...describeCall(
      'A list of which nothing was sent, with a key file',
      ofList,
      readList(listOf(false, { apiKeyFile: keyFile('J') })),
    ),
  ];
  const table = readFileSync(TABLE, 'utf8').trimEnd().split('\n');
  expect(table).toHaveLength(lines.length);
  expectInTable(lines, table);
});

/** Compares lines with those of the table from the same title on. A line that is not tested is undefined. */
function expectInTable(lines: readonly (string | undefined)[], table: readonly string[]): void {
  const start = table.indexOf(lines[0] ?? '');
  const tested = lines.map((line) => line?.trimEnd());
  expect(tested).toEqual(tested.map((line, index) => line && table[start + index]));
}

test('a new list reads its settings as a call does', () => {
  const lines = [...describeCall('A call and an inbox', allProfiles, readList(undefined))];
  expectInTable(lines, readFileSync(TABLE, 'utf8').split('\n'));
});

test('variables give a list nothing but a key, also what its journal lacks', () => {
  const environment = { ...variablesOf('Ak'), MESSAGING_PROXY: 'http://proxy.example', MESSAGING_TIMEOUT_MS: '1' };
  const context = { io: { environment }, log: () => undefined } as unknown as BulkCall['context'];
  const { settings } = readList(listOf(true, {}))({}, { context });
  const given = Object.entries(settings).map(([name, setting]) => [name, setting?.source]);
  expect(Object.fromEntries(given.filter(([, source]) => source !== undefined))).toEqual({
    baseUrl: 'the journal',
    namespace: 'the journal',
    apiKey: 'MESSAGING_API_KEY',
    successStatuses: 'the journal',
  });
});
