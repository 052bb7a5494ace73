import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parseJson } from '../../client/options/json';
import { WrongValue } from '../../options/table';
import { UsageError } from '../terminal/failure';

export interface Profile {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Reads the profile that the option or MESSAGING_PROFILE names. When neither names one, reads the profile `default`, if
 * the file has it.
 *
 * @param option the value of `--profile`
 * @param known the settings that a profile may have
 * @param remembered the profile that is read, if the file has it, in place of `default`
 * @throws {UsageError} when the file or the profile is wrong, or the file does not have the profile that was asked for
 */
export function readProfile(
  option: string | undefined,
  environment: NodeJS.ProcessEnv,
  known: readonly string[],
  remembered?: string,
): Profile | undefined {
  const name = option ?? (environment.MESSAGING_PROFILE || undefined);
  const asked = option === undefined ? `MESSAGING_PROFILE=${name}` : `--profile ${name}`;
  const path = configPath(environment);
  const profiles = readProfiles(path);
  if (path === undefined || profiles === undefined) {
    if (name === undefined) return undefined;
    throw new UsageError(`${asked}: there is no file ${path ?? 'messaging/config.json'}`);
  }
  const found = name ?? remembered ?? 'default';
  if (!Object.hasOwn(profiles, found)) {
    if (name === undefined) return undefined;
    throw new UsageError(`${asked}: ${path} has no such profile (profiles: ${Object.keys(profiles).join(', ')})`);
  }
  const what = `${path}: profile ${found}`;
  const values = asObject(profiles[found], what);
  if (Object.hasOwn(values, 'apiKey')) {
    throw new UsageError(`${what}: the API key cannot be here; put the key into a file and set apiKeyFile`);
  }
  refuseUnknown(Object.keys(values), known, what);
  return { name: found, values: withPaths(values, path) };
}

function parseFile(text: string, path: string): unknown {
  try {
    // Some editors put a byte order mark before the text.
    return parseJson(text.replace(/^\ufeff/, ''));
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new UsageError(`${path}: ${error.message}`);
  }
}

/** The names of the profiles, for completion; none when the configuration file cannot be read. */
export function profileNames(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    return Object.keys(readProfiles(configPath(environment)) ?? {});
  } catch {
    return [];
  }
}

/** Reads the profiles of the configuration file by name; undefined where there is no file. */
export function readProfiles(path: string | undefined): Readonly<Record<string, unknown>> | undefined {
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
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new UsageError((error as Error).message, { cause: error });
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
function withPaths(values: Profile['values'], config: string): Profile['values'] {
  const paths = (['apiKeyFile', 'caFile'] as const).flatMap((name) => {
    const path = values[name];
    return typeof path === 'string' ? [[name, resolve(dirname(config), path)]] : [];
  });
  return { ...values, ...Object.fromEntries(paths) };
}
