import { service } from '../../generated/operations';
import { integerRanges } from '../xml/integers';
import { namespacePattern } from '../xml/namespaces';

/** What a sandbox is started with. */
export interface SandboxOptions {
  /** TCP port; 0 picks a free one. Default 0. */
  readonly port?: number | undefined;
  /** Address or name to listen on. Default `127.0.0.1`, which only this machine reaches. */
  readonly host?: string | undefined;
  /** The contract's `{namespace}`, to the letter. Default `http://messaging.example/`. */
  readonly namespace?: string | undefined;
  /** Keys that are accepted. Default `['sandbox-key']`. */
  readonly apiKeys?: readonly string[] | undefined;
  /** A single key, short for `apiKeys`; with both, all are accepted and this one is the first. */
  readonly apiKey?: string | undefined;
  /** Answer with a fault whatever departs from the contract, where an ASMX service would not care. Default false. */
  readonly strict?: boolean | undefined;
  /** The credit to begin with, from which each message takes 120. Default 9007199254740995. */
  readonly credit?: bigint | undefined;
  /** Largest request body that is read, in bytes. Default 67,108,864 (64 MiB). */
  readonly maxRequestBytes?: number | undefined;
}

/** The options as the sandbox uses them: checked, with every default in place. */
export interface SandboxSettings {
  readonly port: number;
  readonly host: string;
  readonly namespace: string;
  readonly apiKeys: readonly [string, ...string[]];
  readonly strict: boolean;
  readonly credit: bigint;
  readonly maxRequestBytes: number;
}

/** @throws {TypeError} when an option is not what its type and documentation say */
export function resolveSandboxOptions(options: SandboxOptions): SandboxSettings {
  const settings = {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    namespace: options.namespace ?? service.namespace,
    apiKeys: readKeys(options),
    strict: options.strict ?? false,
    // Above 2^53, so that a client that keeps a long in a double shows itself.
    credit: options.credit ?? 9_007_199_254_740_995n,
    maxRequestBytes: options.maxRequestBytes ?? 67_108_864,
  };
  const { port, host, namespace, credit, maxRequestBytes } = settings;
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
  check(Number.isSafeInteger(maxRequestBytes) && maxRequestBytes > 0, 'maxRequestBytes', 'above 0', maxRequestBytes);
  return settings;
}

function readKeys({ apiKey, apiKeys }: SandboxOptions): [string, ...string[]] {
  const given = [...(apiKey === undefined ? [] : [apiKey]), ...(apiKeys ?? [])];
  const [first, ...others] = given.length > 0 || apiKeys !== undefined ? given : ['sandbox-key'];
  if (first === undefined) throw new TypeError('apiKeys: at least one key is needed');
  for (const key of given) check(typeof key === 'string' && key !== '', 'apiKeys', 'a text that is not empty', key);
  return [first, ...others];
}

function check(holds: boolean, option: keyof SandboxOptions, what: string, value: unknown): void {
  if (!holds) throw new TypeError(`${option}: ${String(value)} is not ${what}`);
}
