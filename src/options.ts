import type { MessagingError } from './errors';
import type { Signal } from './internal/signal';
import type { RequestDefaults, SoapVersion } from './types';

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
export interface MessagingOptions<D = RequestDefaults> {
  /**
   * The http or https URL of the service without `/soap/v1.asmx`: requests go to `{baseUrl}/soap/v1.asmx`. It may end
   * in `/`. Environment variable `MESSAGING_BASE_URL`. Required.
   *
   * @example 'https://provider.example'
   */
  readonly baseUrl: string;
  /**
   * The `{namespace}` of the contract. It is used as it is: a final slash counts. Environment variable
   * `MESSAGING_NAMESPACE`. Required.
   *
   * @example 'http://provider.example/'
   */
  readonly namespace: string;
  /**
   * The API key, which the client writes into the `apikey` element of every request. No error, trace or log contains
   * it. Environment variable `MESSAGING_API_KEY`. Required.
   *
   * @example process.env.MESSAGING_API_KEY
   */
  readonly apiKey: string | undefined;
  /**
   * The statuses that mean success. The contract does not define them. Any other status rejects with a `StatusError`.
   * Environment variable `MESSAGING_SUCCESS_STATUSES`, comma separated. Required.
   *
   * @example [200]
   */
  readonly successStatuses: readonly number[];
  /**
   * The statuses of a message that do not change any more, such as delivered and failed. The contract does not define
   * them. `track` requires them; nothing else uses them. Environment variable `MESSAGING_FINAL_STATUSES`, comma
   * separated. Default none.
   *
   * @example [6, 10, 11, 13, 14]
   */
  readonly finalStatuses?: readonly number[] | undefined;
  /**
   * The SOAP version of requests. Responses of both versions are read. Environment variable `MESSAGING_SOAP_VERSION`.
   * Default `'1.1'`.
   *
   * @example '1.2'
   */
  readonly soapVersion?: SoapVersion | undefined;
  /**
   * The limit of a whole call, in milliseconds; 0 means no limit. A call that takes longer rejects with a
   * `TimeoutError`. Environment variable `MESSAGING_TIMEOUT_MS`. Default 30,000.
   *
   * @example 5_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The limit of making a connection, TLS included, in milliseconds; 0 means no limit. Default 10,000.
   *
   * @example 2_000
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * The limit of a silence before and between the bytes of a response, in milliseconds; 0 means no limit. Default 0.
   *
   * @example 10_000
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Values for fields that a request leaves out, by element name. The fields are then optional in requests. Default
   * none.
   *
   * @example { msgmode: 1, unixdate: 0n }
   */
  readonly defaults?: D | undefined;
  /**
   * The size of the largest response that is read, in bytes after decompression. A larger response rejects with a
   * `ResponseError`. Default 134,217,728 (128 MiB).
   *
   * @example 1_048_576
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * The number of times that a call is tried again when the network provably did not send its request. The wait is 0.2
   * seconds at first and doubles up to 5 seconds, with jitter. All tries stay within `timeoutMs`. A call is never
   * repeated after any other failure. Default 0.
   *
   * @example 3
   */
  readonly retries?: number | undefined;
  /**
   * The number of connections at a time; further calls wait for a connection. Default 64.
   *
   * @example 16
   */
  readonly maxConnections?: number | undefined;
  /**
   * Keeps connections open for later calls. When false, each call opens its own connection. Default true.
   *
   * @example false
   */
  readonly keepAlive?: boolean | undefined;
  /**
   * The http or https URL of a proxy. The client never reads `HTTP_PROXY` or `HTTPS_PROXY`. Environment variable
   * `MESSAGING_PROXY`. Default none.
   *
   * @example 'http://user:password@proxy.example:3128'
   */
  readonly proxy?: string | undefined;
  /**
   * Settings for https. Default: the authorities that Node trusts, and no client certificate.
   *
   * @example { ca: readFileSync('authority.pem') }
   */
  readonly tls?: TlsOptions | undefined;
}

/** Some of the options; an option that is undefined counts as missing. */
export type OptionOverrides<D> = { readonly [K in keyof MessagingOptions<D>]?: MessagingOptions<D>[K] | undefined };

/**
 * Settings for https, as in `tls.connect` of Node.
 *
 * @example
 * const tls: TlsOptions = { ca: readFileSync('authority.pem'), servername: 'provider.example' };
 */
export interface TlsOptions {
  /** Trusted authorities as PEM. Default: the authorities that Node trusts. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** The client certificate as PEM. Default none. */
  readonly cert?: string | Uint8Array | undefined;
  /** The private key of the client certificate as PEM. Default none. */
  readonly key?: string | Uint8Array | undefined;
  /** The passphrase of the private key. Default none. */
  readonly passphrase?: string | undefined;
  /** The host name for SNI and for the check of the certificate. Default: the host of `baseUrl`. */
  readonly servername?: string | undefined;
  /** Checks the certificate of the service. When false, any certificate and so any server is accepted. Default true. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/**
 * The options of one call.
 *
 * @example
 * await client.sendSimple(request, { signal: controller.signal, timeoutMs: 5_000 });
 */
export interface CallOptions {
  /**
   * Aborts the call, which then rejects with an `AbortError`. Default none.
   *
   * @example controller.signal
   */
  readonly signal?: Signal | undefined;
  /**
   * The limit of the whole call, in milliseconds; 0 means no limit. Default: `timeoutMs` of the client. The limit of a
   * stream does not run while the stream waits for its consumer.
   *
   * @example 5_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The limit until the request begins to be written, in milliseconds; 0 means no limit. A request that has not begun
   * by then is never written. Its call rejects with a `TimeoutError` whose outcome is `not-sent`. Default none.
   *
   * @example 1_000
   */
  readonly startWithinMs?: number | undefined;
  /**
   * The limit of the response's size in bytes, after decompression. Default: `maxResponseBytes` of the client.
   *
   * @example 1_048_576
   */
  readonly maxResponseBytes?: number | undefined;
}

/**
 * The options of `track`.
 *
 * @example
 * const options: TrackOptions = { finalStatuses: [6, 10, 11, 13, 14], everyMs: 5_000, withinMs: 600_000 };
 */
export interface TrackOptions {
  /**
   * The statuses that end the tracking of a message. The contract does not define them. Default: `finalStatuses` of the
   * client; required if the client has none.
   *
   * @example [6, 10, 11, 13, 14]
   */
  readonly finalStatuses?: readonly number[] | undefined;
  /**
   * The pause between two rounds of requests, in milliseconds. It doubles after each round without a change. Default
   * 5,000.
   *
   * @example 1_000
   */
  readonly everyMs?: number | undefined;
  /**
   * The longest pause, in milliseconds. Default 60,000.
   *
   * @example 10_000
   */
  readonly maxEveryMs?: number | undefined;
  /**
   * The number of ids in a request. The contract does not define a limit. Default 500.
   *
   * @example 100
   */
  readonly batchSize?: number | undefined;
  /**
   * The limit of the whole tracking, in milliseconds; 0 means no limit. After it, the loop rejects with a
   * `TrackingTimeout`. Default 0.
   *
   * @example 600_000
   */
  readonly withinMs?: number | undefined;
  /**
   * Aborts the tracking. The loop then rejects with an `AbortError`.
   *
   * @example controller.signal
   */
  readonly signal?: Signal | undefined;
  /**
   * Is given each failure that does not end the tracking, with the ids of its request. These ids are asked for again
   * after the next pause. Default: such a failure is ignored.
   *
   * @example (error, ids) => console.warn(error.message, ids.length)
   */
  readonly onFailure?: ((error: MessagingError, ids: readonly bigint[]) => void) | undefined;
}
