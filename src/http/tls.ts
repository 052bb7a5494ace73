import { trueOrFalse } from '../options/checks';
import { readOptions, refuseValue } from '../options/table';

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

function readString(value: unknown): string {
  return typeof value === 'string' ? value : refuseValue('a string is needed');
}

const isPem = (value: unknown): boolean => typeof value === 'string' || ArrayBuffer.isView(value);

function readPem(value: unknown): string | Uint8Array {
  return isPem(value) ? (value as string | Uint8Array) : refuseValue('PEM as a string or bytes is needed');
}

function readPemList(value: unknown): NonNullable<TlsOptions['ca']> {
  if (![value].flat().every(isPem)) refuseValue('PEM as a string or bytes, or a list of these, is needed');
  return value as NonNullable<TlsOptions['ca']>;
}

const tlsOptions = {
  ca: { read: readPemList },
  cert: { read: readPem },
  key: { read: readPem },
  passphrase: { read: readString },
  servername: { read: readString },
  rejectUnauthorized: { read: trueOrFalse },
};

export function readTls(value: unknown): TlsOptions {
  return readOptions(tlsOptions, value);
}
