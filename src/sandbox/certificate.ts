import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** The names of this machine. */
const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** The certificate of a sandbox that serves https. */
export class Certificate {
  readonly #certificate: X509Certificate;

  /** @param pem one certificate, or several of which the first one counts */
  constructor(pem: string | Uint8Array) {
    this.#certificate = new X509Certificate(pem);
  }

  /** The certificate in PEM when a program that is given it trusts it; undefined when an authority has signed it. */
  get ownAuthority(): string | undefined {
    return this.#certificate.checkIssued(this.#certificate) ? this.#certificate.toString().trim() : undefined;
  }

  /**
   * A URL of the same place under a name for which the certificate is valid: the given one, or another name of this
   * machine. The given URL when there is none.
   */
  validUrl(url: string): string {
    const { hostname, host } = new URL(url);
    const names = OWN_NAMES.includes(hostname) ? [hostname, ...OWN_NAMES] : [];
    const valid = names.find((name) => this.#isFor(name.replace(/^\[(.*)\]$/, '$1')));
    return valid === undefined ? url : url.replace(host, host.replace(hostname, valid));
  }

  #isFor(name: string): boolean {
    return (isIP(name) > 0 ? this.#certificate.checkIP(name) : this.#certificate.checkHost(name)) !== undefined;
  }
}
