import { ConfigurationError } from './errors';
import { createMask } from './internal/mask';
import {
  isObject,
  OptionProblem,
  readBaseUrl,
  readBoolean,
  readDefaults,
  readInteger,
  readNamespace,
  readProxy,
  readStatuses,
  readText,
  readTimeout,
  readTls,
  readVersion,
  required,
} from './settings/checks';
import type { RequestDefaults, SoapVersion } from './types';

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
  /**
   * How often a call is tried again that provably was not sent because of the network: after 0.2 seconds, doubling to 5, with
   * jitter, within `timeoutMs`. No other failure is ever repeated. Default 0.
   */
  readonly retries?: number | undefined;
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
  readonly ca?: string | Uint8Array | (string | Uint8Array)[];
  /** Client certificate as PEM. */
  readonly cert?: string | Uint8Array;
  /** Private key of the client certificate as PEM. */
  readonly key?: string | Uint8Array;
  /** Passphrase of the private key. */
  readonly passphrase?: string;
  /** Host name for SNI and for the check of the certificate, when it is not the one of `baseUrl`. */
  readonly servername?: string;
  /** False accepts any certificate, and so any server. Default true. */
  readonly rejectUnauthorized?: boolean;
}

/** Settings of one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with an AbortError. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Limit for the whole call, in milliseconds; 0 means none. Default: the client's. A stream's limit does not run while it waits
   * for its consumer.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Limit for the start of the request, in milliseconds; 0 means none. A request that has not begun to be written by then rejects
   * with a TimeoutError, outcome `not-sent`, and is never written. Default none.
   */
  readonly startWithinMs?: number | undefined;
}

/** Variables of the environment by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
  readonly retries: number;
  readonly maxConnections: number;
  readonly keepAlive: boolean;
  readonly proxy: string | undefined;
  readonly tls: TlsOptions;
}

/** The environment variable of each option that has one. */
export const variables = {
  baseUrl: 'MESSAGING_BASE_URL',
  namespace: 'MESSAGING_NAMESPACE',
  apiKey: 'MESSAGING_API_KEY',
  successStatuses: 'MESSAGING_SUCCESS_STATUSES',
  soapVersion: 'MESSAGING_SOAP_VERSION',
  timeoutMs: 'MESSAGING_TIMEOUT_MS',
} as const satisfies Partial<Record<keyof MessagingOptions, string>>;

/** Checks the options and fills in the defaults. @throws {ConfigurationError} that names every missing, wrong and unknown option */
export function resolveOptions(options: OptionOverrides<unknown> = {}): Settings {
  checkObject(options);
  const problems: OptionProblem[] = [];
  /** An option's value. A problem with it is kept, so that one error names all of them. */
  const read = <T>(readValue: () => T): T => {
    try {
      return readValue();
    } catch (error) {
      if (!(error instanceof OptionProblem)) throw error;
      problems.push(error);
      // Nobody sees it: the problem is thrown below.
      return undefined as T;
    }
  };
  const settings: Settings = {
    baseUrl: read(() => readBaseUrl(required('baseUrl', options.baseUrl))),
    namespace: read(() => readNamespace(required('namespace', options.namespace))),
    apiKey: read(() => readText('apiKey', required('apiKey', options.apiKey))),
    successStatuses: read(() => readStatuses(required('successStatuses', options.successStatuses))),
    soapVersion: read(() => readVersion(options.soapVersion ?? '1.1')),
    timeoutMs: read(() => readTimeout('timeoutMs', options.timeoutMs ?? 30_000)),
    connectTimeoutMs: read(() => readTimeout('connectTimeoutMs', options.connectTimeoutMs ?? 10_000)),
    idleTimeoutMs: read(() => readTimeout('idleTimeoutMs', options.idleTimeoutMs ?? 0)),
    defaults: read(() => readDefaults(options.defaults ?? {})),
    maxResponseBytes: read(() =>
      readInteger('maxResponseBytes', options.maxResponseBytes ?? 134_217_728, 1, Number.MAX_SAFE_INTEGER),
    ),
    retries: read(() => readInteger('retries', options.retries ?? 0, 0, 1000)),
    maxConnections: read(() => readInteger('maxConnections', options.maxConnections ?? 64, 1, 65_535)),
    keepAlive: read(() => readBoolean('keepAlive', options.keepAlive ?? true)),
    proxy: read(() => (options.proxy === undefined ? undefined : readProxy(options.proxy))),
    tls: read(() => readTls(options.tls ?? {})),
  };
  const names = Object.keys(settings);
  const unknown = Object.keys(options).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    problems.push(new OptionProblem(unknown.join(', '), () => `: no such option (options: ${names.join(', ')})`));
  }
  if (problems.length > 0) throw configurationError(problems, options.apiKey);
  return settings;
}

/** Options are no list and no text, whatever a caller in JavaScript gives. @throws {ConfigurationError} */
function checkObject(options: unknown): void {
  if (!isObject(options)) throw new ConfigurationError('the options are not an object');
}

/**
 * Options from the environment; those given in `overrides` win. An empty variable counts as missing. What cannot be read stays as it
 * is, for `resolveOptions` to refuse.
 *
 * @throws {ConfigurationError} when `overrides` is no object
 */
export function readEnvironment<D>(overrides: OptionOverrides<D>, environment: Environment): OptionOverrides<D> {
  checkObject(overrides);
  const read = <T>(option: keyof typeof variables, parse: (text: string) => T): T | undefined => {
    const text = environment[variables[option]];
    return text === undefined || text === '' ? undefined : parse(text);
  };
  const found = {
    baseUrl: read('baseUrl', (text) => text),
    namespace: read('namespace', (text) => text),
    apiKey: read('apiKey', (text) => text),
    successStatuses: read('successStatuses', (text) => text.split(',').map(parseNumber)),
    soapVersion: read('soapVersion', (text) => text),
    timeoutMs: read('timeoutMs', parseNumber),
  };
  const isGiven = ([, value]: [string, unknown]) => value !== undefined;
  return Object.fromEntries([...Object.entries(found).filter(isGiven), ...Object.entries(overrides).filter(isGiven)]);
}

/** A whole number in decimal digits, or the text itself. */
function parseNumber(text: string): number | string {
  return /^\s*-?\d+\s*$/.test(text) ? Number(text) : text;
}

/** A limit of one call, in milliseconds. @throws {ConfigurationError} */
export function resolveLimit(option: 'timeoutMs' | 'startWithinMs' | 'withinMs', ms: number, apiKey: string): number {
  try {
    return readTimeout(option, ms);
  } catch (error) {
    throw error instanceof OptionProblem ? configurationError([error], apiKey) : error;
  }
}

/** Refuses a signal that is not an AbortSignal, and options that a call does not have. @throws {ConfigurationError} */
export function checkCallOptions(options: CallOptions, apiKey: string): void {
  checkObject(options);
  const { signal, timeoutMs, startWithinMs, ...unknown } = options;
  const problems: OptionProblem[] = [];
  // Not by its class: a program may have a signal of its own.
  if (signal && typeof signal.addEventListener !== 'function')
    problems.push(new OptionProblem('signal', () => ': an AbortSignal is needed'));
  problems.push(...unknownOptions(unknown, ' of a call', ['signal', 'timeoutMs', 'startWithinMs']));
  if (problems.length > 0) throw configurationError(problems, apiKey);
}

/** The limit of `close`, in milliseconds; undefined without one. @throws {ConfigurationError} also for any other option */
export function resolveCloseLimit(
  options: { readonly withinMs?: number | undefined },
  apiKey: string,
): number | undefined {
  checkObject(options);
  const { withinMs, ...unknown } = options;
  const problems = unknownOptions(unknown, ' of close', ['withinMs']);
  if (problems.length > 0) throw configurationError(problems, apiKey);
  return withinMs === undefined ? undefined : resolveLimit('withinMs', withinMs, apiKey);
}

/** @param unknown options that there are not */
function unknownOptions(unknown: object, where: string, known: readonly string[]): OptionProblem[] {
  const names = Object.keys(unknown).join(', ');
  if (names === '') return [];
  return [new OptionProblem(names, () => `: no such option${where} (options: ${known.join(', ')})`)];
}

/** One error for all problems, without the API key. */
function configurationError(problems: readonly OptionProblem[], apiKey: unknown): ConfigurationError {
  const { mask } = createMask(typeof apiKey === 'string' && apiKey !== '' ? apiKey : '\0');
  const show = (value: unknown): string => {
    if (typeof value === 'string') return JSON.stringify(mask(value));
    // Making a string of an object may throw.
    if (typeof value === 'function' || (typeof value === 'object' && value !== null)) return `the ${typeof value}`;
    return mask(String(value));
  };
  return new ConfigurationError(
    problems.map(({ option, explain }) => `${mask(nameOf(option))}${explain(show)}`).join('; '),
  );
}

function nameOf(option: string): string {
  const variable = (variables as Readonly<Record<string, string>>)[option];
  return variable ? `${option} (${variable})` : option;
}
