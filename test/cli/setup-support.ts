import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import { makeFolder } from '../support/folder';
import { openSandbox } from '../support/sandbox';
import { messaging, type Outcome } from './support';

// The service of a provider and the home folder of a user who has its key, for the tests of setup.

export const KEY = 'canary-key';

export let sandbox: Sandbox;
export let home: string;
export let config: string;
beforeAll(async () => {
  sandbox = await openSandbox({ apiKeys: [KEY], namespace: 'http://provider.example/' });
});
beforeEach(() => {
  home = makeFolder();
  config = join(home, '.config/messaging/config.json');
  writeFileSync(join(home, 'key'), `${KEY}\n`, { mode: 0o600 });
});

/** Runs the command, which never prints the key. */
export async function setup(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const outcome = await messaging(['setup', ...args], { environment: { HOME: home, ...environment } });
  expect(outcome.stdout + outcome.stderr).not.toContain(KEY);
  return outcome;
}

export const profiles = (): Record<string, unknown> => JSON.parse(readFileSync(config, 'utf8')).profiles;
export const keyFile = (): string[] => ['--api-key-file', join(home, 'key')];
