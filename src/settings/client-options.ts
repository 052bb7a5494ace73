import { oneOf, trueOrFalse, wholeNumber } from '../internal/option-checks';
import type { OptionRow, ResolvedOptions } from '../internal/option-table';
import { MAX_DELAY_MS } from '../internal/timers';
import type { MessagingOptions, TlsOptions } from '../options';
import type { SoapVersion } from '../types';
import { readBaseUrl, readDefaults, readNamespace, readProxy, readStatuses, readTls, readXmlText } from './checks';

interface ClientOptionRow extends OptionRow {
  /** Makes a value of the text of the environment variable. Default: the text itself. */
  readonly parse?: (text: string) => unknown;
  /** The option of the command line that sets it. Its name is the option's name in kebab case. */
  readonly flag?: {
    readonly placeholder: string;
    readonly help: string;
    readonly choices?: readonly string[];
  };
}

const versions: readonly SoapVersion[] = ['1.1', '1.2'];
/** In milliseconds; 0 means no limit. */
const timeLimit = wholeNumber(0, MAX_DELAY_MS);

/** All options of the client, in the order of messages. `MessagingOptions` documents them for users. */
export const clientOptions = {
  baseUrl: {
    read: readBaseUrl,
    required: true,
    variable: 'MESSAGING_BASE_URL',
    flag: { placeholder: 'url', help: 'send requests to <url>/soap/v1.asmx' },
  },
  namespace: {
    read: readNamespace,
    required: true,
    variable: 'MESSAGING_NAMESPACE',
    flag: { placeholder: 'uri', help: 'use this namespace, exactly as the service writes it' },
  },
  apiKey: {
    read: readXmlText,
    required: true,
    variable: 'MESSAGING_API_KEY',
    flag: { placeholder: 'key', help: 'use this API key; others can see it in the process list' },
  },
  successStatuses: {
    read: readStatuses,
    required: true,
    variable: 'MESSAGING_SUCCESS_STATUSES',
    parse: parseStatuses,
    flag: { placeholder: 'list', help: 'take these statuses as success, such as 200,201' },
  },
  finalStatuses: {
    read: readStatuses,
    variable: 'MESSAGING_FINAL_STATUSES',
    parse: parseStatuses,
    flag: { placeholder: 'list', help: 'take these statuses of a message as final, such as 6,10,11' },
  },
  soapVersion: {
    read: oneOf(versions),
    default: '1.1',
    variable: 'MESSAGING_SOAP_VERSION',
    flag: { placeholder: 'version', help: 'use SOAP 1.1 or 1.2', choices: versions },
  },
  timeoutMs: {
    read: timeLimit,
    default: 30_000,
    variable: 'MESSAGING_TIMEOUT_MS',
    parse: parseNumber,
    flag: { placeholder: 'ms', help: 'end a call after this time, 0 for no limit' },
  },
  connectTimeoutMs: { read: timeLimit, default: 10_000 },
  idleTimeoutMs: { read: timeLimit, default: 0 },
  defaults: {
    read: readDefaults,
    default: {} as Readonly<Record<string, unknown>>,
    flag: { placeholder: 'json', help: 'use these values for fields that are not given, such as {"msgmode":1}' },
  },
  maxResponseBytes: { read: wholeNumber(1), default: 134_217_728 },
  retries: { read: wholeNumber(0, 1000), default: 0 },
  maxConnections: { read: wholeNumber(1, 65_535), default: 64 },
  keepAlive: { read: trueOrFalse, default: true },
  proxy: {
    read: readProxy,
    variable: 'MESSAGING_PROXY',
    flag: { placeholder: 'url', help: 'send requests through this http or https proxy' },
  },
  tls: { read: readTls, default: {} as TlsOptions },
} as const satisfies { readonly [K in keyof MessagingOptions]-?: ClientOptionRow };

export type Settings = ResolvedOptions<typeof clientOptions>;

type Table = typeof clientOptions;
export type FlagOption = { [K in keyof Table]: Table[K] extends { flag: object } ? K : never }[keyof Table];
export type RequiredOption = { [K in keyof Table]: Table[K] extends { required: true } ? K : never }[keyof Table];
/** An option that some command requires. */
export type NeededOption = RequiredOption | 'finalStatuses';

/** Returns a row of the table with the type of all rows. */
export function clientOption(name: keyof MessagingOptions): ClientOptionRow {
  return clientOptions[name];
}

function parseStatuses(text: string): unknown {
  return text.split(',').map(parseNumber);
}

/** A whole number in decimal digits, or the text itself for the check to refuse. */
function parseNumber(text: string): number | string {
  return /^\s*-?\d+\s*$/.test(text) ? Number(text) : text;
}
