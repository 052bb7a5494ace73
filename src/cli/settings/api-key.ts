import { readFileSync, statSync } from 'node:fs';
import type { Context } from '../commander/command';
import { UsageError } from '../terminal/failure';
import type { CliSettings, GivenSettings } from './settings';

/**
 * Adds the API key to the settings: it is read from its file where a file was given.
 *
 * @throws {UsageError}
 */
export function withApiKey(settings: CliSettings, given: GivenSettings, log: Context['log']): CliSettings {
  const { apiKey, apiKeyFile } = settings;
  if (given.apiKey !== undefined && given.apiKeyFile !== undefined) {
    throw new UsageError('give --api-key-file or --api-key, not both');
  }
  if (given.apiKey) log('warning: --api-key is visible in the process list: use --api-key-file or MESSAGING_API_KEY');
  // A key from the environment wins over a file that the profile names.
  if (!apiKeyFile || given.apiKey || (apiKey && apiKeyFile.inProfile)) return settings;
  const what = apiKeyFile.inProfile ? `apiKeyFile of ${apiKeyFile.source}` : apiKeyFile.source;
  if (typeof apiKeyFile.value !== 'string') throw new UsageError(`${what}: a path is needed`);
  const value = readKeyFile(apiKeyFile.value, what, log);
  return { ...settings, apiKey: { ...apiKeyFile, value } };
}

export function readKeyFile(path: string, what: string, log: Context['log']): string {
  let text: string;
  let isPublic: boolean;
  try {
    text = readFileSync(path, 'utf8');
    const status = statSync(path);
    // Windows reports these bits for every file.
    isPublic = process.platform !== 'win32' && status.isFile() && (status.mode & 0o077) !== 0;
  } catch (error) {
    throw new UsageError(`${what}: ${(error as Error).message}`, { cause: error });
  }
  // The shell's $(cat file) does the same.
  const key = text.replace(/[\r\n]+$/, '');
  if (key === '') throw new UsageError(`${what}: ${path} is empty`);
  if (isPublic) log(`warning: ${what}: others can read ${path}: chmod 600 makes it private`);
  return key;
}
