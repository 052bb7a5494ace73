import { service } from '../../generated/operations';
import { integerRanges } from '../xml/integers';
import { namespacePattern } from '../xml/namespaces';
import type { SandboxRequest } from './request-log';

/** The options of `startSandbox`. */
export interface SandboxOptions {
  /** TCP port; 0 picks a free one. Default 0. */
  readonly port?: number | undefined;
  /** Address or name to listen on. Default `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined;
  /** The contract's `{namespace}`, exactly. Default `http://messaging.example/`. */
  readonly namespace?: string | undefined;
  /** Accepted API keys. Default `['sandbox-key']`. */
  readonly apiKeys?: readonly string[] | undefined;
  /** One accepted API key. With `apiKeys` too, all are accepted and this one is the first. */
  readonly apiKey?: string | undefined;
  /**
   * Answer with a fault what departs from the contract in the HTTP headers, the elements and their order, also where an ASMX service
   * is lenient. Prefixes and unused declarations of namespaces are free. Default false.
   */
  readonly strict?: boolean | undefined;
  /** The initial credit, which goes down by 120 with each message. Default 9007199254740995. */
  readonly credit?: bigint | undefined;
  /** Longest body of a SOAP request that is read, in bytes. Default 67,108,864 (64 MiB). */
  readonly maxRequestBytes?: number | undefined;
  /** Path of a file that keeps messages and received messages over a restart. Default: they are kept in memory only. */
  readonly data?: string | undefined;
  /** How many messages, and how many received messages, are kept. The oldest are dropped. Default 100,000. */
  readonly keep?: number | undefined;
  /** Certificate and private key in PEM, for https. Default: http. */
  readonly tls?: { readonly cert: string | Uint8Array; readonly key: string | Uint8Array } | undefined;
  /** Further host names under which the page and the control interface may be called, without a port. Default: none. */
  readonly allowHosts?: readonly string[] | undefined;
  /**
   * Is given each request when it has been answered or dropped, except those of the page and the control interface. What it
   * throws is written to stderr and has no other effect. Default: none.
   */
  readonly onRequest?: ((request: SandboxRequest) => void) | undefined;
}

/** The checked options, with every default in place. */
export type SandboxSettings = ReturnType<typeof resolveSandboxOptions>;

export const DEFAULT_API_KEY = 'sandbox-key';

/** @throws {TypeError} when an option is wrong */
export function resolveSandboxOptions(options: SandboxOptions) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError('the options are not an object');
  }
  const settings = {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    namespace: options.namespace ?? service.namespace,
    apiKeys: readKeys(options),
    strict: options.strict ?? false,
    // Above 2^53, so that a client that stores a long in a double loses a digit visibly.
    credit: options.credit ?? 9_007_199_254_740_995n,
    maxRequestBytes: options.maxRequestBytes ?? 67_108_864,
    data: options.data,
    keep: options.keep ?? 100_000,
    tls: options.tls,
    allowHosts: options.allowHosts ?? [],
    onRequest: options.onRequest,
  };
  const names = ['apiKey', ...Object.keys(settings)];
  const unknown = Object.keys(options).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new TypeError(`${unknown.join(', ')}: no such option (options: ${names.join(', ')})`);
  }
  const { port, host, namespace, credit, maxRequestBytes, data, keep, allowHosts } = settings;
  check(Number.isInteger(port) && port >= 0 && port <= 65_535, 'port', 'a whole number from 0 to 65535', port);
  check(typeof host === 'string' && host !== '', 'host', 'an address or name', host);
  check(
    namespacePattern.test(namespace),
    'namespace',
    'a URI of visible ASCII characters without quotation marks',
    namespace,
  );
  const { max } = integerRanges.long;
  check(typeof credit === 'bigint' && credit >= 0n && credit <= max, 'credit', `a bigint from 0 to ${max}`, credit);
  check(
    Number.isSafeInteger(maxRequestBytes) && maxRequestBytes > 0,
    'maxRequestBytes',
    'a positive whole number',
    maxRequestBytes,
  );
  check(data === undefined || (typeof data === 'string' && data !== ''), 'data', 'a path', data);
  // A longer list than this does not fit into an array.
  check(Number.isInteger(keep) && keep > 0 && keep < 2 ** 32, 'keep', 'a positive whole number below 2^32', keep);
  for (const name of allowHosts) check(HOST_NAME.test(name), 'allowHosts', 'a host name without a port', name);
  return settings;
}

/** A name, an IPv4 address, or an IPv6 address in brackets, as in a Host header. */
const HOST_NAME = /^([\w.-]+|\[[\da-f:.]+\])$/i;

function readKeys({ apiKey, apiKeys }: SandboxOptions): [string, ...string[]] {
  const given = [...(apiKey === undefined ? [] : [apiKey]), ...(apiKeys ?? [])];
  const [first, ...others] = given.length > 0 || apiKeys !== undefined ? given : [DEFAULT_API_KEY];
  if (first === undefined) throw new TypeError('apiKeys: at least one key is required');
  for (const key of given) check(typeof key === 'string' && key !== '', 'apiKeys', 'a non-empty string', key);
  return [first, ...others];
}

function check(holds: boolean, option: keyof SandboxOptions, what: string, value: unknown): void {
  if (!holds) throw new TypeError(`${option}: ${String(value)} is not ${what}`);
}
