import type { KeyFile } from '../../client/options/files';
import type { SourceSettings } from '../../client/options/sources';
import type { Context } from '../commander/command';
import { spellSetting } from './settings';

/** Says that others can read the API key. @param file the file from which it was read */
export function warnOfKey(settings: SourceSettings, file: KeyFile | undefined, log: Context['log']): void {
  const { apiKey, apiKeyFile } = settings;
  if (apiKey?.source === '--api-key' && !apiKeyFile)
    log('warning: --api-key is visible in the process list: use --api-key-file or MESSAGING_API_KEY');
  if (file) warnIfPublic(file, String(apiKeyFile?.value), spellSetting('apiKeyFile', settings), log);
}

/** @param what the setting that names the file */
export function warnIfPublic({ isPublic }: KeyFile, path: string, what: string, log: Context['log']): void {
  if (isPublic) log(`warning: ${what}: others can read ${path}: chmod 600 makes it private`);
}
