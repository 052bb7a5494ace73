import { existsSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUsable } from '../../client/options/sources';
import { replaceFile } from '../../internal/atomic-file';
import { isFileName } from '../../internal/file-names';
import { FileInUse, lockFile } from '../../internal/lock-file';
import { UsageError } from '../terminal/failure';
import { asObject, configPath, readProfiles } from './profile';

/** A profile as the configuration file has it: a relative path starts at the folder of this file. */
export interface StoredProfile {
  readonly name: string;
  /** The configuration file. */
  readonly path: string;
  /** Empty for a new profile. */
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Reads a profile in order to change it.
 *
 * @throws {UsageError} when the configuration file cannot be read or has no place
 */
export function readStoredProfile(name: string, environment: NodeJS.ProcessEnv): StoredProfile {
  if (!isFileName(name)) {
    throw new UsageError(
      `--profile: ${JSON.stringify(name)}: use letters, digits, "-" and "_", for a file has this name`,
    );
  }
  const path = configPath(environment);
  if (path === undefined) throw new UsageError('there is no home folder: set HOME or XDG_CONFIG_HOME');
  return { name, path, values: valuesOf(name, path) };
}

function valuesOf(name: string, path: string): StoredProfile['values'] {
  const profiles = readProfiles(path) ?? {};
  return Object.hasOwn(profiles, name) ? asObject(profiles[name], `${path}: profile ${name}`) : {};
}

/**
 * Writes a profile, and leaves the others in the file unchanged. A new API key for the same base URL takes the place of
 * the key in the profile's own file, so that each path to this file stays true. A key for another base URL gets a file
 * of its own, and no file is deleted. At every instant the profile has the key of its service, also after a kill.
 *
 * @param before the profile as it was read
 * @param key the API key when it is not in a file yet
 * @returns the profile as it was written
 * @throws {UsageError} when the profile was changed since it was read, and when a file cannot be written
 */
export async function writeProfile(
  { name, path, values: before }: StoredProfile,
  values: StoredProfile['values'],
  key: string | undefined,
  signal: AbortSignal,
): Promise<StoredProfile> {
  const folder = dirname(path);
  await inWords(mkdir(folder, { recursive: true, mode: 0o700 }));
  const unlock = await waitForLock(path, signal);
  try {
    if (JSON.stringify(valuesOf(name, path)) !== JSON.stringify(before))
      throw new UsageError(`profile ${name} was changed meanwhile: run setup again; nothing was written`);
    if (key === undefined) {
      await writeValues(name, path, values);
      return { name, path, values };
    }
    const own = ownKeyFile(name, folder, before.apiKeyFile);
    const isReplaced = own !== undefined && isUsable(before.baseUrl, values.baseUrl);
    const file = isReplaced ? own : newKeyFile(name, folder);
    const written = { ...values, apiKeyFile: file };
    await write(join(folder, file), `${key}\n`);
    try {
      await writeValues(name, path, written);
    } catch (error) {
      if (!isReplaced) await rm(join(folder, file), { force: true });
      throw error;
    }
    return { name, path, values: written };
  } finally {
    await unlock();
  }
}

/** The time after which a lock of another process is an error, in milliseconds. A profile is written in a few. */
const LOCK_MS = 10_000;

/** Waits until no other process writes the configuration file. The lock ends with its process. */
async function waitForLock(path: string, signal: AbortSignal): Promise<() => Promise<void>> {
  const end = performance.now() + LOCK_MS;
  // Two links to one file are one lock.
  const target = await realpath(path).catch(() => path);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await lockFile(target);
    } catch (error) {
      if (!(error instanceof FileInUse)) throw error;
      if (performance.now() > end) throw new UsageError(`${path} is locked by another setup; nothing was written`);
      await sleep(20);
    }
  }
}

/** The name of the key file beside the configuration file that setup made for a profile; undefined for another file. */
function ownKeyFile(name: string, folder: string, apiKeyFile: unknown): string | undefined {
  if (typeof apiKeyFile !== 'string') return undefined;
  const isOwn = new RegExp(`^${name.replaceAll('.', '\\.')}(-\\d+)?\\.key$`).test(apiKeyFile);
  return isOwn && existsSync(resolve(folder, apiKeyFile)) ? apiKeyFile : undefined;
}

/** The first name of a key file that is free: `NAME.key`, `NAME-2.key` and so on. */
function newKeyFile(name: string, folder: string): string {
  let file = `${name}.key`;
  for (let count = 2; existsSync(join(folder, file)); count++) file = `${name}-${count}.key`;
  return file;
}

function writeValues(name: string, path: string, values: StoredProfile['values']): Promise<void> {
  const profiles = { ...readProfiles(path), [name]: values };
  return write(path, `${JSON.stringify({ profiles }, undefined, 2)}\n`);
}

function write(path: string, text: string): Promise<void> {
  return inWords(replaceFile(path, (put) => put(text), { keepsAccess: true }));
}

async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
