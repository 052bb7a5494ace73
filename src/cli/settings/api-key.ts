import { type KeyFile, readKeyFile } from '../../client/options/files';
import type { SourceSettings } from '../../client/options/sources';
import { refuseValue } from '../../options/table';
import type { Context } from '../commander/command';
import { spellSetting } from './settings';

/**
 * Reads the API key of the settings, from its file where they name one. Undefined when they give none.
 *
 * @throws {WrongValue} when the file cannot be read, and when the source gives two keys
 */
export function loadApiKey(settings: SourceSettings, log: Context['log']): unknown {
  const { apiKey, apiKeyFile } = settings;
  if (apiKey && apiKeyFile) return refuseValue(`${apiKeyFile.source} gives a key too: use one of them`);
  if (apiKey?.source === '--api-key')
    log('warning: --api-key is visible in the process list: use --api-key-file or MESSAGING_API_KEY');
  if (!apiKeyFile) return apiKey?.value;
  if (typeof apiKeyFile.value !== 'string') return refuseValue('a path is needed');
  const file = readKeyFile(apiKeyFile.value);
  warnIfPublic(file, apiKeyFile.value, spellSetting('apiKeyFile', settings), log);
  return file.key;
}

/** @param what the setting that names the file */
export function warnIfPublic({ isPublic }: KeyFile, path: string, what: string, log: Context['log']): void {
  if (isPublic) log(`warning: ${what}: others can read ${path}: chmod 600 makes it private`);
}
