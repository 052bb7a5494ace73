import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parseJson } from '../../client/options/json';
import { settingNames } from '../../client/options/settings';
import { decodeText } from '../../internal/decode-text';
import { isSameBaseUrl } from '../../options/checks';
import { isObject, WrongValue } from '../../options/table';
import type { Context } from '../commander/command';
import { UsageError } from '../terminal/failure';

export interface Profile {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The profiles of the configuration file by name. Each of them is checked when it is used. */
type Profiles = Readonly<Record<string, unknown>>;

/** The names that a profile may have: the settings, and `confirm`. The API key is in a file of its own. */
const known = [...settingNames.filter((name) => name !== 'apiKey'), 'confirm'];

/**
 * Reads the profile that the option or MESSAGING_PROFILE names. When neither names one, reads the profile `default`, if
 * the file has it.
 *
 * @param option the value of `--profile`
 * @throws {UsageError} when the file or the profile is wrong, or the file does not have the profile that was asked for
 */
export function readProfile(
  option: string | undefined,
  { io: { environment }, log }: Pick<Context, 'io' | 'log'>,
): Profile | undefined {
  const name = option ?? (environment.MESSAGING_PROFILE || undefined);
  const asked = option === undefined ? `MESSAGING_PROFILE=${name}` : `--profile ${name}`;
  const path = configPath(environment);
  const profiles = readProfiles(path);
  if (path === undefined || profiles === undefined) {
    if (name === undefined) return undefined;
    throw new UsageError(`${asked}: there is no file ${path ?? 'messaging/config.json'}`);
  }
  const found = findProfile(name ?? 'default', path, profiles);
  if (name !== undefined && !found)
    throw new UsageError(`${asked}: ${path} has no such profile (profiles: ${Object.keys(profiles).join(', ')})`);
  // A user who changes the file chooses the service that gets the API key.
  if (found && isWritable(path)) log(`warning: others can change ${path}: chmod 600 makes it private`);
  return found;
}

/** Finds a profile among those of the configuration file. @throws {UsageError} when it is wrong */
function findProfile(name: string, path: string, profiles: Profiles): Profile | undefined {
  if (!Object.hasOwn(profiles, name)) return undefined;
  const what = `${path}: profile ${name}`;
  const values = asObject(profiles[name], what);
  if (Object.hasOwn(values, 'apiKey')) {
    throw new UsageError(`${what}: the API key cannot be here; put the key into a file and set apiKeyFile`);
  }
  refuseUnknown(Object.keys(values), known, what);
  if (values.confirm !== undefined && typeof values.confirm !== 'boolean')
    throw new UsageError(`confirm of profile ${name}: true or false is needed`);
  return { name, values: withPaths(values, path) };
}

/** True when all users can write the file. Windows reports this for every file. */
function isWritable(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o002) !== 0;
}

/** Lists the profiles of the configuration file. @throws {UsageError} when it cannot be read */
export function listProfiles(environment: NodeJS.ProcessEnv): readonly Profile[] {
  const path = configPath(environment);
  if (path === undefined) return [];
  const profiles = Object.entries(readProfiles(path) ?? {});
  return profiles.map(([name, values]) => ({ name, values: withPaths(isObject(values) ? values : {}, path) }));
}

/** The name of a profile that wants a question before each send to a base URL; undefined without such a profile. */
export function findConfirming(baseUrl: string, environment: NodeJS.ProcessEnv): string | undefined {
  const isSame = (own: unknown) => typeof own === 'string' && isSameBaseUrl(own, baseUrl);
  return listProfiles(environment).find(({ values }) => values.confirm === true && isSame(values.baseUrl))?.name;
}

function parseFile(text: string, path: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new UsageError(`${path}: ${error.message}`);
  }
}

/** The names of the profiles, for completion; none when the configuration file cannot be read. */
export function profileNames(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    return listProfiles(environment).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Reads the profiles of the configuration file by name; undefined where there is no file. */
export function readProfiles(path: string | undefined): Profiles | undefined {
  const text = path && readIfPresent(path);
  if (!path || text === undefined) return undefined;
  const { profiles, ...others } = asObject(parseFile(text, path), path);
  refuseUnknown(Object.keys(others), ['profiles'], path);
  return asObject(profiles ?? {}, `${path}: profiles`);
}

/** `${XDG_CONFIG_HOME:-~/.config}/messaging/config.json`; undefined where there is no home. */
export function configPath({ XDG_CONFIG_HOME, HOME, USERPROFILE }: NodeJS.ProcessEnv): string | undefined {
  const home = HOME || USERPROFILE;
  // The XDG specification says that a relative path is ignored.
  const folder = XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : home && join(home, '.config');
  return folder ? join(folder, 'messaging', 'config.json') : undefined;
}

function readIfPresent(path: string): string | undefined {
  try {
    return decodeText(readFileSync(path));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
    throw new UsageError(`${path}: ${code === 'EISDIR' ? 'is a folder, and a file is needed' : message}`, {
      cause: error,
    });
  }
}

/** @throws {UsageError} for a value that is not an object */
export function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UsageError(`${what}: an object is needed`);
}

function refuseUnknown(names: readonly string[], known: readonly string[], what: string): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UsageError(`${what}: unknown ${unknown.join(', ')} (known: ${known.join(', ')})`);
}

/** Resolves the paths of files, which are relative to the configuration file. */
export function withPaths(values: Profile['values'], config: string): Profile['values'] {
  const paths = (['apiKeyFile', 'caFile'] as const).flatMap((name) => {
    const path = values[name];
    return typeof path === 'string' ? [[name, resolve(dirname(config), path)]] : [];
  });
  return { ...values, ...Object.fromEntries(paths) };
}
