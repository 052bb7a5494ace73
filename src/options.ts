import { operations } from '../generated/operations';
import { ConfigurationError } from './errors';
import { createMask } from './mask';
import type { RequestDefaults, SoapVersion } from './types';
import { findForbiddenCharacter, formatCodePoint } from './xml/escape';
import { namespacePattern } from './xml/namespaces';

/** How to reach the service. `D` is the type of `defaults`: the fields that it holds are optional in requests. */
export interface MessagingOptions<D = RequestDefaults> {
  /** http or https URL; POST goes to `{baseUrl}/soap/v1.asmx`. May end in `/`. `MESSAGING_BASE_URL`. Required. */
  readonly baseUrl: string;
  /** The contract's `{namespace}`, to the letter: a final slash counts. `MESSAGING_NAMESPACE`. Required. */
  readonly namespace: string;
  /** The `apikey` element of every request (section 5). `MESSAGING_API_KEY`. Required. */
  readonly apiKey: string | undefined;
  /** Statuses that mean success; the contract shows none (section 7). `MESSAGING_SUCCESS_STATUSES`, comma separated. Required. */
  readonly successStatuses: readonly number[];
  /** `MESSAGING_SOAP_VERSION`. Default `'1.1'`. */
  readonly soapVersion?: SoapVersion | undefined;
  /** Limit for a whole call, in milliseconds; 0 means none. `MESSAGING_TIMEOUT_MS`. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Limit for making a connection, TLS included, in milliseconds; 0 means none. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Limit for the silence before and between the bytes of an answer, in milliseconds; 0 means none. Default 0. */
  readonly idleTimeoutMs?: number | undefined;
  /** Values for elements that a request leaves out, by element name. Default none. */
  readonly defaults?: D | undefined;
  /** Largest answer that is read, in bytes, after decompression. Default 134,217,728 (128 MiB). */
  readonly maxResponseBytes?: number | undefined;
  /** Connections at a time; further calls wait for one. Default 64. */
  readonly maxConnections?: number | undefined;
  /** Keep connections open for later calls. Without, each call has one of its own. Default true. */
  readonly keepAlive?: boolean | undefined;
  /** http or https URL of a proxy; the environment's is never used. Default none. */
  readonly proxy?: string | undefined;
  /** Settings for https. Default: Node's own authorities, no client certificate. */
  readonly tls?: TlsOptions | undefined;
}

/** Some of the options; undefined counts as missing. */
export type OptionOverrides<D> = { readonly [K in keyof MessagingOptions<D>]?: MessagingOptions<D>[K] | undefined };

/** Settings for https, as in Node's `tls.connect`. */
export interface TlsOptions {
  /** Trusted authorities as PEM, instead of Node's. */
  readonly ca?: string | Buffer | (string | Buffer)[];
  /** Client certificate as PEM. */
  readonly cert?: string | Buffer;
  /** Private key of the client certificate as PEM. */
  readonly key?: string | Buffer;
  /** Passphrase of the private key. */
  readonly passphrase?: string;
  /** Host name for SNI and for the check of the certificate, when it is not the one of `baseUrl`. */
  readonly servername?: string;
  /** False accepts any certificate, and so any server. Default true. */
  readonly rejectUnauthorized?: boolean;
}

/** The options as the client uses them: checked, with every default in place. */
export interface Settings {
  readonly baseUrl: string;
  readonly namespace: string;
  readonly apiKey: string;
  readonly successStatuses: ReadonlySet<number>;
  readonly soapVersion: SoapVersion;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly maxResponseBytes: number;
  readonly maxConnections: number;
  readonly keepAlive: boolean;
  readonly proxy: string | undefined;
  readonly tls: TlsOptions;
}

/** The longest delay of Node's timers. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** The environment variable of each option that has one. */
export const variables = {
  baseUrl: 'MESSAGING_BASE_URL',
  namespace: 'MESSAGING_NAMESPACE',
  apiKey: 'MESSAGING_API_KEY',
  successStatuses: 'MESSAGING_SUCCESS_STATUSES',
  soapVersion: 'MESSAGING_SOAP_VERSION',
  timeoutMs: 'MESSAGING_TIMEOUT_MS',
} as const satisfies Partial<Record<keyof MessagingOptions, string>>;

/** Checks the options and fills in the defaults. Throws a ConfigurationError that names the option and its variable. */
export function resolveOptions(options: OptionOverrides<unknown> = {}): Settings {
  return masked(options.apiKey, () => readOptions(options));
}

function readOptions(options: OptionOverrides<unknown>): Settings {
  return {
    baseUrl: readBaseUrl(required('baseUrl', options.baseUrl)),
    namespace: readNamespace(required('namespace', options.namespace)),
    apiKey: readText('apiKey', required('apiKey', options.apiKey)),
    successStatuses: readStatuses(required('successStatuses', options.successStatuses)),
    soapVersion: readVersion(options.soapVersion ?? '1.1'),
    timeoutMs: readTimeout('timeoutMs', options.timeoutMs ?? 30_000),
    connectTimeoutMs: readTimeout('connectTimeoutMs', options.connectTimeoutMs ?? 10_000),
    idleTimeoutMs: readTimeout('idleTimeoutMs', options.idleTimeoutMs ?? 0),
    defaults: readDefaults(options.defaults ?? {}),
    maxResponseBytes: readInteger(
      'maxResponseBytes',
      options.maxResponseBytes ?? 134_217_728,
      1,
      Number.MAX_SAFE_INTEGER,
    ),
    maxConnections: readInteger('maxConnections', options.maxConnections ?? 64, 1, 65_535),
    keepAlive: readBoolean('keepAlive', options.keepAlive ?? true),
    proxy: options.proxy === undefined ? undefined : readUrl('proxy', options.proxy).href,
    tls: readObject('tls', options.tls ?? {}),
  };
}

/** Options from the environment; those given in `overrides` win. An empty variable counts as missing. */
export function readEnvironment<D>(overrides: OptionOverrides<D>, environment: NodeJS.ProcessEnv): OptionOverrides<D> {
  const read = <T>(option: keyof typeof variables, parse: (text: string) => T): T | undefined => {
    const text = environment[variables[option]];
    return overrides[option] !== undefined || text === undefined || text === '' ? undefined : parse(text);
  };
  const readAll = () => ({
    baseUrl: read('baseUrl', (text) => text),
    namespace: read('namespace', (text) => text),
    apiKey: read('apiKey', (text) => text),
    successStatuses: read('successStatuses', parseStatuses),
    soapVersion: read('soapVersion', (text) => text as SoapVersion),
    timeoutMs: read('timeoutMs', (text) => parseNumber('timeoutMs', text)),
  });
  const found = masked(overrides.apiKey ?? environment[variables.apiKey], readAll);
  const isGiven = ([, value]: [string, unknown]) => value !== undefined;
  return Object.fromEntries([...Object.entries(found).filter(isGiven), ...Object.entries(overrides).filter(isGiven)]);
}

/** "200,201" */
function parseStatuses(text: string): number[] {
  return text.split(',').map((part) => parseNumber('successStatuses', part));
}

/** A whole number in decimal digits; anything else is a ConfigurationError of the option. */
function parseNumber(option: keyof MessagingOptions, text: string): number {
  if (!/^\s*-?\d+\s*$/.test(text)) fail(option, (show) => `${show(text)} is not a whole number`);
  return Number(text);
}

/** The limit of one call. @throws {ConfigurationError} */
export function resolveTimeout(timeoutMs: number, apiKey: string): number {
  return masked(apiKey, () => readTimeout('timeoutMs', timeoutMs));
}

/** Milliseconds, 0 for no limit. */
function readTimeout(option: 'timeoutMs' | 'connectTimeoutMs' | 'idleTimeoutMs', value: number): number {
  return readInteger(option, value, 0, MAX_TIMEOUT_MS);
}

/** Why a value cannot be used. The value is shown through `show`, since it may be the API key, given to the wrong option. */
class Problem extends Error {
  constructor(
    readonly option: keyof MessagingOptions,
    readonly describe: (show: (value: unknown) => string) => string,
  ) {
    super(option);
  }
}

/** Runs a check and makes a ConfigurationError of its problem, without the API key. */
function masked<T>(apiKey: unknown, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { mask } = createMask(typeof apiKey === 'string' && apiKey !== '' ? apiKey : '\0');
    const show = (value: unknown) => (typeof value === 'string' ? JSON.stringify(mask(value)) : mask(String(value)));
    throw new ConfigurationError(`${nameOf(error.option)}${error.describe(show)}`);
  }
}

function fail(option: keyof MessagingOptions, what: string | ((show: (value: unknown) => string) => string)): never {
  throw new Problem(option, (show) => `: ${typeof what === 'string' ? what : what(show)}`);
}

function nameOf(option: keyof MessagingOptions): string {
  const variable = (variables as Partial<Record<keyof MessagingOptions, string>>)[option];
  return variable ? `${option} (${variable})` : option;
}

function required<T>(option: keyof MessagingOptions, value: T | undefined): T {
  if (value === undefined || value === null || value === '')
    throw new ConfigurationError(`${nameOf(option)} is missing`);
  return value;
}

function readText(option: keyof MessagingOptions, value: unknown): string {
  if (typeof value !== 'string') fail(option, `a string is needed, not ${typeof value}`);
  const forbidden = findForbiddenCharacter(value);
  if (forbidden) {
    fail(
      option,
      `character ${formatCodePoint(forbidden.codePoint)} at index ${forbidden.index} cannot be written as XML 1.0`,
    );
  }
  return value;
}

function readUrl(option: 'baseUrl' | 'proxy', value: string): URL {
  const url = URL.canParse(readText(option, value)) ? new URL(value) : fail(option, 'not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') fail(option, 'neither an http nor an https URL');
  return url;
}

function readBaseUrl(value: string): string {
  const url = readUrl('baseUrl', value);
  if (url.username || url.password)
    fail('baseUrl', 'user and password are not part of it (the API key is the only credential)');
  if (url.search || url.hash) fail('baseUrl', 'no query and no fragment may follow');
  return url.href.replace(/\/+$/, '');
}

function readNamespace(value: string): string {
  const text = readText('namespace', value);
  if (!namespacePattern.test(text))
    fail('namespace', 'a URI of visible ASCII characters is needed, without quotation marks');
  return text;
}

function readStatuses(value: readonly number[]): ReadonlySet<number> {
  if (!Array.isArray(value) || value.length === 0) fail('successStatuses', 'a list of at least one status is needed');
  for (const status of value) {
    if (!Number.isInteger(status) || status !== (status | 0))
      fail('successStatuses', (show) => `${show(status)} is not an xsd:int`);
  }
  return new Set(value);
}

function readVersion(value: string): SoapVersion {
  if (value !== '1.1' && value !== '1.2') fail('soapVersion', (show) => `${show(value)} is neither "1.1" nor "1.2"`);
  return value;
}

function readInteger(option: keyof MessagingOptions, value: number, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    fail(option, (show) => `${show(value)} is not a whole number from ${min} to ${max}`);
  }
  return value;
}

function readBoolean(option: keyof MessagingOptions, value: boolean): boolean {
  return typeof value === 'boolean' ? value : fail(option, (show) => `${show(value)} is neither true nor false`);
}

function readObject<T extends object>(option: keyof MessagingOptions, value: T): T {
  return typeof value === 'object' && value !== null ? value : fail(option, 'an object is needed');
}

function readDefaults(given: unknown): Readonly<Record<string, unknown>> {
  const value = readObject('defaults', given as Record<string, unknown>);
  const fields = new Set(Object.values(operations).flatMap(({ request }) => request.map(({ name }) => name)));
  fields.delete('apikey');
  for (const name of Object.keys(value)) {
    if (!fields.has(name))
      fail(
        'defaults',
        (show) => `${show(name).slice(1, -1)} is not a field of any request (${[...fields].join(', ')})`,
      );
  }
  return { ...value };
}
