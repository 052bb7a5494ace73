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
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** Client certificate as PEM. */
  readonly cert?: string | Uint8Array | undefined;
  /** Private key of the client certificate as PEM. */
  readonly key?: string | Uint8Array | undefined;
  /** Passphrase of the private key. */
  readonly passphrase?: string | undefined;
  /** Host name for SNI and for the check of the certificate, when it is not the one of `baseUrl`. */
  readonly servername?: string | undefined;
  /** False accepts any certificate, and so any server. Default true. */
  readonly rejectUnauthorized?: boolean | undefined;
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
