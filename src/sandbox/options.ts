import { createSecureContext } from 'node:tls';
import { service } from '../../generated/operations';
import { nonEmptyText, readNamespace, showValue, trueOrFalse, unchecked, wholeNumber } from '../options/checks';
import { checkOptions, type GivenOptions, givenAs, listOf, refuseValue } from '../options/table';
import { readLong } from './fields';
import { defaultDelivery, offDelivery, readSimulation, type SandboxDelivery } from './store/delivery';
import type { SandboxRequest } from './store/request-log';
import { DEFAULT_API_KEY } from './store/state';

const sandboxOptions = {
  /** The TCP port to listen on; 0 picks a free port. Default 0. */
  port: { read: wholeNumber(0, 65_535), default: 0 },
  /** The address or name to listen on. Default `127.0.0.1`, which only this machine can reach. */
  host: { read: nonEmptyText('an address or name'), default: '127.0.0.1' },
  /** The contract's `{namespace}`, exactly as clients give it. Default `http://messaging.example/`. */
  namespace: { read: readNamespace, default: service.namespace },
  /** The accepted API keys. Default `['sandbox-key']`. */
  apiKeys: { read: readKeys },
  /** An accepted API key. When `apiKeys` is given too, the sandbox accepts all keys, and this key is the first. */
  apiKey: { read: readKey },
  /**
   * Responds with a fault when a request departs from the contract in the HTTP headers, the elements or their order,
   * also where an ASMX service is lenient. Prefixes and unused declarations of namespaces do not matter. Default false.
   */
  strict: { read: trueOrFalse, default: false },
  /**
   * The initial credit, which goes down by 120 with each message. A request that costs more than is left is refused
   * with status 418. Default 9007199254740995.
   */
  // Above 2^53, so that a client that stores a long in a double loses a digit visibly.
  credit: { read: readLong, default: 9_007_199_254_740_995n },
  /** The longest body of a SOAP request that the sandbox reads, in bytes. Default 67,108,864 (64 MiB). */
  maxRequestBytes: { read: wholeNumber(1), default: 67_108_864 },
  /**
   * The path of a file that keeps messages and received messages over a restart. Default: the sandbox keeps them in
   * memory only.
   */
  data: { read: nonEmptyText('a path') },
  /**
   * The number of messages, and of received messages, that the sandbox keeps: at most 8,000,000. It drops the oldest.
   * Default 100,000.
   */
  // A Map holds 16,777,216 entries, with those that were deleted since it last grew.
  keep: { read: wholeNumber(1, 8_000_000), default: 100_000 },
  /**
   * Simulates delivery: messages change their status by themselves. `true` takes the default steps and receptors; an
   * object replaces the parts that it has. Default: the setting in the data file, or off.
   */
  delivery: { ...givenAs<boolean | Partial<SandboxDelivery>>(), read: readDeliveryOption },
  /** A certificate and its private key in PEM, to serve https. Default: the sandbox serves http. */
  tls: { read: readTls },
  /**
   * Further host names, without a port, under which the page and the control interface may be called. Default: none.
   */
  allowHosts: { read: readHosts, default: [] },
  /**
   * Receives each request when its response is sent or its connection dropped, except requests to the page and the
   * control interface. An error that it throws or rejects with is written to stderr and has no other effect. Default:
   * none.
   */
  onRequest: unchecked<(request: SandboxRequest) => void | Promise<void>>(),
};

/** The options of `startSandbox`. */
export interface SandboxOptions extends GivenOptions<typeof sandboxOptions> {}

/** The checked options, with every default in place. */
export type ResolvedSandboxOptions = ReturnType<typeof resolveSandboxOptions>;

/** Checks the options, and lists all keys. @throws {ConfigurationError} that names every wrong and unknown option */
export function resolveSandboxOptions(options: SandboxOptions) {
  const { apiKey, apiKeys = [], ...own } = checkOptions(sandboxOptions, options);
  const [first = DEFAULT_API_KEY, ...others] = [apiKey ?? [], apiKeys].flat();
  const keys: readonly [string, ...string[]] = [first, ...others];
  return { ...own, apiKeys: keys };
}

function readKey(value: unknown): string {
  return nonEmptyText('a key that is not empty')(value);
}

function readKeys(value: unknown): readonly string[] {
  const keys = listOf(readKey)(value);
  return keys.length > 0 ? keys : refuseValue('at least one key is needed');
}

function readTls(value: unknown): { readonly cert: string | Uint8Array; readonly key: string | Uint8Array } {
  const { cert, key } = value as { readonly cert: string | Buffer; readonly key: string | Buffer };
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    refuseValue(`the certificate and the key cannot be used: ${(error as Error).message}`);
  }
  return { cert, key };
}

function readDeliveryOption(value: unknown): SandboxDelivery {
  if (typeof value === 'boolean') return value ? defaultDelivery : offDelivery;
  return readSimulation(value);
}

/** Reads names, IPv4 addresses, or IPv6 addresses in brackets, as in a Host header. */
function readHosts(value: unknown): readonly string[] {
  const hosts = listOf(String)(value);
  const wrong = hosts.find((host) => !/^([\w.-]+|\[[\da-f:.]+\])$/i.test(host));
  return wrong === undefined ? hosts : refuseValue(`${showValue(wrong)} is not a host name without a port`);
}
