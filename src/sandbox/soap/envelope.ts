import { soapVersions } from '../../soap/versions';
import type { SoapVersion } from '../../types';
import { XSD_NAMESPACE, XSI_NAMESPACE } from '../../xml/namespaces';
import type { HttpResponse } from '../http';

/** The text around the content of a response's body. `start` is the part of `open` before the body. */
export const envelopes = { '1.1': envelopeOf('1.1'), '1.2': envelopeOf('1.2') };

function envelopeOf(version: SoapVersion): { start: string; open: string; close: string } {
  const { prefix, namespace } = soapVersions[version];
  const start =
    `<?xml version="1.0" encoding="utf-8"?><${prefix}:Envelope xmlns:${prefix}="${namespace}"` +
    ` xmlns:xsi="${XSI_NAMESPACE}" xmlns:xsd="${XSD_NAMESPACE}">`;
  return { start, open: `${start}<${prefix}:Body>`, close: `</${prefix}:Body></${prefix}:Envelope>` };
}

/** A response with the headers of ASMX, which sends another Cache-Control when it refuses a request unread. */
export function soapResponse(
  status: number,
  version: SoapVersion,
  body: string,
  cacheControl: 'private' | 'private, max-age=0' = 'private, max-age=0',
): HttpResponse {
  const headers = { 'Cache-Control': cacheControl, 'Content-Type': soapVersions[version].contentType };
  return { status, headers, body };
}

const SPECIAL = /[&<>\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const SPECIALS = /[&<>\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Escapes as ASMX does: CR stays raw, and a character that XML 1.0 forbids becomes a reference, which XML 1.0 forbids
 * too.
 */
export function escapeResponse(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(SPECIALS, (one) => named[one] ?? `&#x${one.charCodeAt(0).toString(16).toUpperCase()};`);
}
