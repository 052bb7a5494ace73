import { mkdir } from 'node:fs/promises';
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

/** Writes a profile, and leaves the others in the file unchanged. */
export async function writeProfile({ name, path, values }: StoredProfile): Promise<void> {
  const profiles = { ...readProfiles(path), [name]: values };
  await write(path, `${JSON.stringify({ profiles }, undefined, 2)}\n`);
}

/**
 * Writes the API key of a profile to a file that only its owner can read. Resolves with the name of the file, beside the
 * profile.
 */
export async function writeKeyFile({ name, path }: StoredProfile, key: string): Promise<string> {
  const file = `${name}.key`;
  await write(join(dirname(path), file), `${key}\n`);
  return file;
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, (put) => put(text));
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
