import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { type MessagingOptions, readEnvironment, resolveOptions, type Settings, variables } from '../options';
import type { Context } from './command';
import { UsageError } from './failure';
import { kebabCase } from './option-names';

export const formats = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

/** The client's options that the environment and the command line can set. */
type ClientOption = keyof typeof variables;
type RequiredOption = {
  [K in keyof MessagingOptions]-?: Record<never, never> extends Pick<MessagingOptions, K> ? never : K;
}[keyof MessagingOptions];

/** The global options as they were given. All but the last two mirror a variable and are read the same way. */
export type GlobalOptions = { readonly [K in ClientOption]?: string | undefined } & {
  readonly apiKeyFile?: string;
  readonly output?: Format;
};

const help: { readonly [K in ClientOption]: readonly [placeholder: string, description: string] } = {
  baseUrl: ['url', 'requests go to <url>/soap/v1.asmx'],
  namespace: ['uri', "the service's namespace, to the letter"],
  apiKey: ['key', 'API key; visible to others in the process list'],
  successStatuses: ['list', 'statuses that mean success, such as 200,201'],
  soapVersion: ['version', '1.1 or 1.2 (default: 1.1)'],
  timeoutMs: ['ms', 'limit for the whole call, 0 for none (default: 30000)'],
};

/** What a call needs. An option that becomes required does not compile until it is here. */
const requiredForCalls = { baseUrl: true, namespace: true, apiKey: true, successStatuses: true } satisfies {
  readonly [K in RequiredOption]: true;
};

/** Adds the global options to the program or a command: they may stand before or after a command's name. */
export function addGlobalOptions(command: Command): void {
  const names = Object.keys(variables) as ClientOption[];
  addClientOptions(command, names);
  const keyFile = new Option('--api-key-file <path>', 'read the API key from a file');
  const output = new Option('--output <format>', 'table, json, ndjson or csv (default: table)').choices(formats);
  command.addOption(keyFile).addOption(output);
}

/** Adds some of the options that mirror a variable. The program's own help names the variables. */
export function addClientOptions(command: Command, names: readonly ClientOption[]): void {
  for (const name of names) {
    const [placeholder, description] = help[name];
    const variable = command.parent === null ? ` [${variables[name]}]` : '';
    command.option(`--${kebabCase(name)} <${placeholder}>`, description + variable);
  }
}

/**
 * The client's options: the command line wins over the environment.
 *
 * @throws {UsageError | ConfigurationError}
 */
export function readClientOptions(given: GlobalOptions, { io, log }: Context): MessagingOptions {
  const effective = overlay(given, io.environment);
  requireOptions(effective, Object.keys(requiredForCalls) as RequiredOption[]);
  if (given.apiKey) log('warning: --api-key is visible in the process list: use --api-key-file or MESSAGING_API_KEY');
  // One call per process: a single connection starts faster than a pool.
  return readEnvironment({ keepAlive: false }, effective) as MessagingOptions;
}

/**
 * Base URL and namespace, checked as the client checks them. No other option is read.
 *
 * @throws {UsageError | ConfigurationError}
 */
export function readAddress(
  given: GlobalOptions,
  environment: NodeJS.ProcessEnv,
): Pick<Settings, 'baseUrl' | 'namespace'> {
  const { baseUrl, namespace } = given;
  const effective = overlay(
    { baseUrl, namespace },
    {
      MESSAGING_BASE_URL: environment.MESSAGING_BASE_URL,
      MESSAGING_NAMESPACE: environment.MESSAGING_NAMESPACE,
    },
  );
  requireOptions(effective, ['baseUrl', 'namespace']);
  // The check requires these too; no call is made with them.
  return resolveOptions(readEnvironment({ apiKey: 'none', successStatuses: [0] }, effective));
}

/** The environment as if the options had been set there. */
function overlay(given: GlobalOptions, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const effective = { ...environment };
  for (const name of Object.keys(variables) as ClientOption[]) {
    const value = given[name];
    if (value !== undefined) effective[variables[name]] = value;
  }
  if (given.apiKeyFile !== undefined) {
    if (given.apiKey !== undefined) throw new UsageError('give --api-key-file or --api-key, not both');
    effective[variables.apiKey] = readKeyFile(given.apiKeyFile);
  }
  return effective;
}

function readKeyFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--api-key-file: ${(error as Error).message}`, { cause: error });
  }
  // As the shell does with $(cat file).
  const key = text.replace(/[\r\n]+$/, '');
  if (key === '') throw new UsageError(`--api-key-file: ${path} is empty`);
  return key;
}

/** Names all that is missing at once. */
function requireOptions(environment: NodeJS.ProcessEnv, names: readonly ClientOption[]): void {
  const missing = names.filter((name) => !environment[variables[name]]);
  if (missing.length === 0) return;
  const spelled = missing.map(
    (name) => `${name === 'apiKey' ? '--api-key-file' : `--${kebabCase(name)}`} (or ${variables[name]})`,
  );
  throw new UsageError(`missing: ${spelled.join(', ')}`);
}
