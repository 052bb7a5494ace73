import type { SoapVersion } from '../types';

/** The differences of SOAP 1.1 and 1.2 on the wire. A reader goes by the namespace. */
interface VersionRules {
  readonly prefix: string;
  readonly namespace: string;
  readonly contentType: string;
}

export const soapVersions: Readonly<Record<SoapVersion, VersionRules>> = {
  '1.1': {
    prefix: 'soap',
    namespace: 'http://schemas.xmlsoap.org/soap/envelope/',
    contentType: 'text/xml; charset=utf-8',
  },
  '1.2': {
    prefix: 'soap12',
    namespace: 'http://www.w3.org/2003/05/soap-envelope',
    contentType: 'application/soap+xml; charset=utf-8',
  },
};

/** The namespaces of the envelopes that are read, whichever version was used for the request. */
export const envelopeNamespaces: readonly string[] = Object.values(soapVersions).map(({ namespace }) => namespace);
