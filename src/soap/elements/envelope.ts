import type { SoapVersion } from '../../types';

/** All that differs between SOAP 1.1 and 1.2 when writing (contract, section 4, rules 3 and 4). Reading goes by namespace. */
interface VersionRules {
  readonly prefix: string;
  readonly namespace: string;
  readonly contentType: string;
}

export const versions: Readonly<Record<SoapVersion, VersionRules>> = {
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

/** What an answer's envelope may be in, whichever version was asked for. */
export const envelopeNamespaces: readonly string[] = Object.values(versions).map(({ namespace }) => namespace);
