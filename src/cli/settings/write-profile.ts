import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../internal/atomic-file';
import { isFileName } from '../../internal/strings';
import { UsageError } from '../terminal/failure';
import { asObject, configPath, readProfiles } from './profile';

/** A profile as the configuration file has it: a relative path starts at the folder of this file. */
export interface StoredProfile {
  readonly name: string;
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
  const profiles = readProfiles(path) ?? {};
  const values = Object.hasOwn(profiles, name) ? asObject(profiles[name], `${path}: profile ${name}`) : {};
  return { name, path, values };
}

/**
 * Writes a profile, and leaves the others in the file unchanged. A new API key is written to a new file first. Then the
 * profile names this file, and then the earlier file is deleted. So at every instant the profile has the key of its
 * service.
 *
 * @returns the profile as it was written
 */
export async function writeProfile({ name, path, values }: StoredProfile, key?: string): Promise<StoredProfile> {
  const folder = dirname(path);
  const profiles = readProfiles(path) ?? {};
  const { [name]: earlier, ...others } = profiles;
  const file = key === undefined ? undefined : newKeyFile(name, folder);
  const written = file === undefined ? values : { ...values, apiKeyFile: file };
  if (file !== undefined) await write(join(folder, file), `${key}\n`);
  try {
    await write(path, `${JSON.stringify({ profiles: { ...profiles, [name]: written } }, undefined, 2)}\n`);
  } catch (error) {
    if (file !== undefined) await rm(join(folder, file), { force: true });
    throw error;
  }
  const before = keyFileOf(earlier);
  const isUsed = [written, ...Object.values(others)].some((profile) => keyFileOf(profile) === before);
  // Only a file that this function made.
  const isOwn = new RegExp(`^${name.replaceAll('.', '\\.')}(-\\d+)?\\.key$`).test(before ?? '');
  if (before !== undefined && isOwn && !isUsed) await rm(join(folder, before), { force: true });
  return { name, path, values: written };
}

/** The first name of a key file that is free: `NAME.key`, `NAME-2.key` and so on. */
function newKeyFile(name: string, folder: string): string {
  let file = `${name}.key`;
  for (let count = 2; existsSync(join(folder, file)); count++) file = `${name}-${count}.key`;
  return file;
}

function keyFileOf(profile: unknown): string | undefined {
  const { apiKeyFile } = (profile ?? {}) as { readonly apiKeyFile?: unknown };
  return typeof apiKeyFile === 'string' ? apiKeyFile : undefined;
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, (put) => put(text));
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
