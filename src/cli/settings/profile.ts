import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { UsageError } from '../terminal/failure';

/** Settings from the configuration file. */
export interface Profile {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What a profile may set. The API key stands in a file of its own. */
const profileSettings = [
  ...['baseUrl', 'namespace', 'apiKeyFile', 'successStatuses', 'soapVersion', 'timeoutMs', 'defaults', 'dates'],
];

/**
 * The profile that the option or MESSAGING_PROFILE names, or the one named `default` when neither does and the file has one.
 *
 * @param option the value of `--profile`
 * @throws {UsageError} when the file or the profile is wrong, or a name is given that the file does not have
 */
export function readProfile(option: string | undefined, environment: NodeJS.ProcessEnv): Profile | undefined {
  const name = option ?? (environment.MESSAGING_PROFILE || undefined);
  const asked = option === undefined ? `MESSAGING_PROFILE=${name}` : `--profile ${name}`;
  const path = configPath(environment);
  const text = path && readIfPresent(path);
  if (!path || text === undefined) {
    if (name === undefined) return undefined;
    throw new UsageError(`${asked}: there is no file ${path ?? 'messaging/config.json'}`);
  }
  const { profiles, ...others } = asObject(parseJson(text, path), path);
  refuseUnknown(Object.keys(others), ['profiles'], path);
  const all = asObject(profiles ?? {}, `${path}: profiles`);
  const found = name ?? 'default';
  if (!Object.hasOwn(all, found)) {
    if (name === undefined) return undefined;
    throw new UsageError(`${asked}: ${path} has no such profile (profiles: ${Object.keys(all).join(', ')})`);
  }
  const values = asObject(all[found], `${path}: profile ${found}`);
  if (Object.hasOwn(values, 'apiKey')) {
    throw new UsageError(
      `${path}: profile ${found}: apiKey must not stand here; put the key in a file and set apiKeyFile`,
    );
  }
  refuseUnknown(Object.keys(values), profileSettings, `${path}: profile ${found}`);
  return { name: found, values: withKeyPath(values, path, environment) };
}

/** `${XDG_CONFIG_HOME:-~/.config}/messaging/config.json`; undefined where there is no home. */
function configPath({ XDG_CONFIG_HOME, HOME, USERPROFILE }: NodeJS.ProcessEnv): string | undefined {
  const home = HOME || USERPROFILE;
  // The XDG specification says that a relative path is ignored.
  const folder = XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : home && join(home, '.config');
  return folder ? join(folder, 'messaging', 'config.json') : undefined;
}

/**
 * A JSON text. The text itself is not in the error: it may hold a secret.
 *
 * @param what names the text in the error
 * @throws {UsageError}
 */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
    const before = text.slice(0, Number(position ?? 0)).split('\n');
    const place =
      position === undefined ? '' : `, at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    throw new UsageError(`${what}: not JSON${place}`);
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** @throws {UsageError} */
export function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UsageError(`${what}: an object is needed`);
}

function refuseUnknown(names: readonly string[], known: readonly string[], what: string): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UsageError(`${what}: unknown ${unknown.join(', ')} (known: ${known.join(', ')})`);
}

/** A key file's path counts from the configuration file; `~/` is the home folder. */
function withKeyPath(
  values: Profile['values'],
  path: string,
  { HOME, USERPROFILE }: NodeJS.ProcessEnv,
): Profile['values'] {
  const { apiKeyFile } = values;
  if (typeof apiKeyFile !== 'string' || isAbsolute(apiKeyFile)) return values;
  const home = HOME || USERPROFILE || '';
  const resolved = apiKeyFile.startsWith('~/') ? join(home, apiKeyFile.slice(2)) : join(dirname(path), apiKeyFile);
  return { ...values, apiKeyFile: resolved };
}
