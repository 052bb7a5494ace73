import type { OptionProblem } from '../../errors';
import { readTls, type TlsOptions } from '../../http/tls';
import { createMasker } from '../../internal/mask';
import { MAX_DELAY_MS } from '../../internal/signals';
import {
  oneOf,
  readApiKey,
  readBaseUrl,
  readDefaults,
  readNamespace,
  readProxy,
  readStatuses,
  trueOrFalse,
  wholeNumber,
} from '../../options/checks';
import {
  checkOptions,
  type FlagRow,
  type GivenOptions,
  givenAs,
  isObject,
  type ResolvedOptions,
} from '../../options/table';
import type { RequestDefaults, SoapVersion } from '../../types';
import { readHeaders } from './headers';
import { defaultsFromJson, parseJson } from './json';

export interface ClientOptionRow extends FlagRow {
  /** Makes a value of the text of the environment variable. Default: the text itself. @throws {WrongValue} */
  readonly parse?: (text: string) => unknown;
  /** Makes a value of JSON, as a profile has it. Default: the JSON value itself. @throws {WrongValue} */
  readonly fromJson?: (value: unknown) => unknown;
}

const versions: readonly SoapVersion[] = ['1.1', '1.2'];
/** In milliseconds; 0 means no limit. */
const timeLimit = wholeNumber(0, MAX_DELAY_MS);

/** All options of the client, in the order of messages. */
export const clientOptions = {
  /**
   * The http or https URL of the service without `/soap/v1.asmx`: requests go to `{baseUrl}/soap/v1.asmx`. It may end
   * in `/`. Environment variable `MESSAGING_BASE_URL`. Required.
   */
  baseUrl: {
    read: readBaseUrl,
    required: true,
    variable: 'MESSAGING_BASE_URL',
    flag: { value: 'url', help: 'send requests to <url>/soap/v1.asmx' },
  },
  /**
   * The `{namespace}` of the contract. It is used as it is: a final slash counts. Environment variable
   * `MESSAGING_NAMESPACE`. Required.
   */
  namespace: {
    read: readNamespace,
    required: true,
    variable: 'MESSAGING_NAMESPACE',
    flag: { value: 'uri', help: 'use this namespace, exactly as the service writes it' },
  },
  /**
   * The API key, which the client writes into the `apikey` element of every request. No error, trace or log contains
   * it. Environment variable `MESSAGING_API_KEY`, or `MESSAGING_API_KEY_FILE` for the path of a file that holds the
   * key. Required.
   */
  apiKey: {
    ...givenAs<string | undefined>(),
    read: readApiKey,
    required: true,
    variable: 'MESSAGING_API_KEY',
    flag: { value: 'key', help: 'use this API key; others can see it in the process list' },
  },
  /**
   * The statuses that mean success. The contract does not define them. Any other status rejects with a `StatusError`.
   * Environment variable `MESSAGING_SUCCESS_STATUSES`, comma separated. Required.
   */
  successStatuses: {
    ...givenAs<readonly number[]>(),
    read: readStatuses,
    required: true,
    variable: 'MESSAGING_SUCCESS_STATUSES',
    parse: parseStatuses,
    flag: { value: 'list', help: 'treat these statuses as success, such as 200,201' },
  },
  /**
   * The statuses of a message that do not change any more, such as delivered and failed. The contract does not define
   * them. `track` requires them; nothing else uses them. Environment variable `MESSAGING_FINAL_STATUSES`, comma
   * separated. Default none.
   */
  finalStatuses: {
    ...givenAs<readonly number[]>(),
    read: readStatuses,
    variable: 'MESSAGING_FINAL_STATUSES',
    parse: parseStatuses,
    flag: { value: 'list', help: 'treat these statuses of a message as final, such as 6,10,11' },
  },
  /**
   * The SOAP version of requests. Responses of both versions are read. Environment variable `MESSAGING_SOAP_VERSION`.
   * Default `'1.1'`.
   */
  soapVersion: {
    read: oneOf(versions),
    default: '1.1',
    variable: 'MESSAGING_SOAP_VERSION',
    flag: { value: 'version', help: 'use SOAP 1.1 or 1.2', choices: versions },
  },
  /**
   * The limit of a whole call, in milliseconds; 0 means no limit. A call that takes longer rejects with a
   * `TimeoutError`. Environment variable `MESSAGING_TIMEOUT_MS`. Default 30,000.
   */
  timeoutMs: {
    read: timeLimit,
    default: 30_000,
    variable: 'MESSAGING_TIMEOUT_MS',
    parse: parseNumber,
    flag: { value: 'ms', help: 'end a call after this time, 0 for no limit' },
  },
  /** The limit of making a connection, TLS included, in milliseconds; 0 means no limit. Default 10,000. */
  connectTimeoutMs: { read: timeLimit, default: 10_000 },
  /**
   * The limit of a silence before and between the bytes of a response, in milliseconds; 0 means no limit. It does not
   * run while the request is still being written. Default 0.
   */
  idleTimeoutMs: { read: timeLimit, default: 0 },
  // `MessagingOptions` documents it, because its type there is the user's own.
  defaults: {
    read: readDefaults,
    default: {} as Readonly<Record<string, unknown>>,
    variable: 'MESSAGING_DEFAULTS',
    parse: (text: string) => defaultsFromJson(parseJson(text)),
    fromJson: defaultsFromJson,
    flag: { value: 'json', help: 'use these values for fields that are not given, such as {"msgmode":1}' },
  },
  /**
   * The size of the largest response that is read, in bytes after decompression. A larger response rejects with a
   * `ResponseError`. Default 134,217,728 (128 MiB).
   */
  maxResponseBytes: { read: wholeNumber(1), default: 134_217_728 },
  /**
   * The number of times that a call is tried again when the network provably did not send its request. The wait is 0.2
   * seconds at first and doubles up to 5 seconds, with jitter. All tries stay within `timeoutMs`. A call is never
   * repeated after any other failure. Environment variable `MESSAGING_RETRIES`. Default 0.
   */
  retries: {
    read: wholeNumber(0, 1000),
    default: 0,
    variable: 'MESSAGING_RETRIES',
    parse: parseNumber,
    flag: { value: 'n', help: 'try again this many times when the network did not send a request' },
  },
  /** The number of connections at a time; further calls wait for a connection. Default 64. */
  maxConnections: { read: wholeNumber(1, 65_535), default: 64 },
  /** Keeps connections open for later calls. When false, each call opens its own connection. Default true. */
  keepAlive: { read: trueOrFalse, default: true },
  /**
   * The http or https URL of a proxy, such as `http://user:password@proxy.example:3128`. The client never reads
   * `HTTP_PROXY` or `HTTPS_PROXY`. Environment variable `MESSAGING_PROXY`. Default none.
   */
  proxy: {
    read: readProxy,
    variable: 'MESSAGING_PROXY',
    flag: { value: 'url', help: 'send requests through this http or https proxy' },
  },
  /**
   * Settings for https. The environment variable `MESSAGING_CA_FILE` names the file of `ca`. Default: the authorities
   * that Node trusts, and no client certificate.
   */
  tls: { read: readTls, default: {} as TlsOptions },
  /**
   * HTTP headers that each request has too, by name, such as those of a gateway; or a function that is called for each
   * call, in its asynchronous context, and returns them, such as a `traceparent`. The headers of SOAP and of HTTP
   * itself cannot be given. No error, trace or log contains the values. Default none.
   */
  headers: { read: readHeaders },
} as const satisfies Readonly<Record<string, ClientOptionRow>>;

type Table = typeof clientOptions;

/**
 * The options of a `MessagingClient`. `D` is the type of `defaults`: the fields that it holds are optional in requests.
 * A wrong or unknown option is a `ConfigurationError`, which names all of them.
 *
 * @example
 * const options: MessagingOptions = {
 *   baseUrl: 'https://provider.example',
 *   namespace: 'http://provider.example/',
 *   apiKey: process.env.MESSAGING_API_KEY,
 *   successStatuses: [200],
 * };
 */
export interface MessagingOptions<D = RequestDefaults> extends Omit<GivenOptions<Table>, 'defaults'> {
  /**
   * Values for fields that a request leaves out, by element name. They are then optional in requests. Environment
   * variable `MESSAGING_DEFAULTS`, as JSON; the types do not know the fields that the variable has. Default none.
   */
  readonly defaults?: D | undefined;
}

/** Some of the options; an option that is undefined counts as missing. */
export type OptionOverrides<D> = { readonly [K in keyof MessagingOptions<D>]?: MessagingOptions<D>[K] | undefined };

/** The options, checked and with every default in place. */
export type Settings = ResolvedOptions<Table>;

/** The options that a client needs, with the values that they have where a command needs none. */
const notNeeded = { baseUrl: '', namespace: '', apiKey: '', successStatuses: new Set<number>() };
export type RequiredOption = keyof typeof notNeeded;
export const requiredOptions = Object.keys(notNeeded) as RequiredOption[];

/**
 * Checks the options and fills in the defaults.
 *
 * @param known problems that were found before
 * @param keys further keys that the error must not have
 * @param needed the options that must be given. Others may be missing, and are then empty
 * @throws {ConfigurationError}
 */
export function resolveOptions(
  options: OptionOverrides<unknown> = {},
  known: readonly OptionProblem[] = [],
  keys: readonly (string | undefined)[] = [],
  needed: readonly RequiredOption[] = requiredOptions,
): Settings {
  const apiKey = isObject(options) && typeof options.apiKey === 'string' ? options.apiKey.trim() : undefined;
  const rows = requiredOptions
    .filter((name) => !needed.includes(name))
    .map((name) => [name, { read: clientOptions[name].read, default: notNeeded[name] }]);
  const table = { ...clientOptions, ...Object.fromEntries(rows) } as Table;
  return checkOptions(table, options, createMasker(apiKey, ...keys), known);
}

function parseStatuses(text: string): unknown {
  return text.split(',').map(parseNumber);
}

/** A whole number in decimal digits, or the text itself for the check to refuse. */
function parseNumber(text: string): number | string {
  return /^\s*-?\d+\s*$/.test(text) ? Number(text) : text;
}
