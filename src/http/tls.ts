import { X509Certificate } from 'node:crypto';
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

type Pem = string | Uint8Array;

const isPem = (value: unknown): value is Pem => typeof value === 'string' || ArrayBuffer.isView(value);

function readPem(value: unknown): Pem {
  if (!isPem(value)) refuseValue('PEM as a string or bytes is needed');
  return value.length > 0 ? value : refuseValue('empty');
}

function readAuthorities(value: unknown): NonNullable<TlsOptions['ca']> {
  const list = [value].flat();
  if (!list.every(isPem)) refuseValue('PEM as a string or bytes, or a list of these, is needed');
  if (list.length === 0 || !list.every(holdsCertificate)) refuseValue('no certificate in PEM');
  return value as NonNullable<TlsOptions['ca']>;
}

/**
 * True for a certificate in PEM. Node trusts all of its own authorities when it is given an empty text, and silently
 * ignores a text without a certificate, and a certificate in binary.
 */
export function holdsCertificate(pem: Pem): boolean {
  try {
    return Buffer.from(pem).includes('-----BEGIN') && new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

const tlsOptions = {
  ca: { read: readAuthorities },
  cert: { read: readPem },
  key: { read: readPem },
  passphrase: { read: readString },
  servername: { read: readString },
  rejectUnauthorized: { read: trueOrFalse },
};

export function readTls(value: unknown): TlsOptions {
  return readOptions(tlsOptions, value);
}
