import { soapVersions } from '../../soap/versions';
import type { SoapVersion } from '../../types';
import { XSD_NAMESPACE, XSI_NAMESPACE } from '../../xml/namespaces';

/** The text around the content of a response's body. */
export const envelopes = { '1.1': envelopeOf('1.1'), '1.2': envelopeOf('1.2') };

function envelopeOf(version: SoapVersion): { open: string; close: string } {
  const { prefix, namespace } = soapVersions[version];
  const names = `xmlns:${prefix}="${namespace}" xmlns:xsi="${XSI_NAMESPACE}" xmlns:xsd="${XSD_NAMESPACE}"`;
  return {
    open: `<?xml version="1.0" encoding="utf-8"?><${prefix}:Envelope ${names}><${prefix}:Body>`,
    close: `</${prefix}:Body></${prefix}:Envelope>`,
  };
}

const SPECIAL = /[&<>\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const SPECIALS = new RegExp(SPECIAL, 'g');
const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Escapes as ASMX does: CR stays raw, and a character that XML 1.0 forbids becomes a reference, which XML 1.0 forbids
 * too.
 */
export function escapeResponse(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(SPECIALS, (one) => named[one] ?? `&#x${one.charCodeAt(0).toString(16).toUpperCase()};`);
}
