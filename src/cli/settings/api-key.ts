import { readKeyFile } from '../../client/options/files';
import { WrongValue } from '../../options/table';
import type { Context } from '../commander/command';
import { UsageError } from '../terminal/failure';
import { type CliSettings, isSame, type Setting, spellSetting } from './settings';

/** The API key belongs to another service than the one that a command would call. */
export class ForeignKey extends UsageError {}

/**
 * Adds the API key to the settings: it is read from its file where a file was given.
 *
 * @throws {ForeignKey} when the key was stored with another base URL; {UsageError} when its file cannot be read
 */
export function withApiKey(settings: CliSettings, log: Context['log']): CliSettings {
  const { apiKey, apiKeyFile, baseUrl } = settings;
  const given = apiKey ?? apiKeyFile;
  if (!given) return settings;
  if (baseUrl && !isSame(given.storedWith, baseUrl)) throw foreignKey(given, baseUrl);
  if (apiKey?.source === '--api-key')
    log('warning: --api-key is visible in the process list: use --api-key-file or MESSAGING_API_KEY');
  if (!apiKeyFile) return settings;
  const value = readKey(apiKeyFile.value, spellSetting('apiKeyFile', settings), log);
  return { ...settings, apiKey: { ...apiKeyFile, value } };
}

/** Reads the API key that a file holds. @param what the setting that names the file, for messages */
export function readKey(path: unknown, what: string, log: Context['log']): string {
  if (typeof path !== 'string') throw new UsageError(`${what}: a path is needed`);
  try {
    const { key, isPublic } = readKeyFile(path);
    if (isPublic) log(`warning: ${what}: others can read ${path}: chmod 600 makes it private`);
    return key;
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new UsageError(`${what}: ${error.message}`, { cause: error });
  }
}

/** Names both services, and says how to give the right key. */
function foreignKey({ source, storedWith }: Setting, baseUrl: Setting): ForeignKey {
  const origin = storedWith?.source === source ? '' : ` (${storedWith?.source})`;
  const ways = baseUrl.source.startsWith('MESSAGING') ? 'MESSAGING_API_KEY_FILE or --api-key-file' : '--api-key-file';
  return new ForeignKey(
    `the API key of ${source} belongs to ${storedWith?.value}${origin}, and ${baseUrl.source} names ${baseUrl.value}: ` +
      `give the key beside the base URL, with ${ways}`,
  );
}
