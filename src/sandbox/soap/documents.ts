import { endpointPath, formatWsdl, wsdlAddressOf } from '../../soap/wsdl';
import { escapeAttribute, escapeText } from '../../xml/escape';
import { type HttpRequest, type HttpResponse, isReading } from '../http';

/** The parts of an endpoint's documents that differ between sandboxes. */
export interface EndpointDocuments {
  readonly namespace: string;
  /** The URL of the endpoint as the caller reaches it. */
  readonly address: string;
  /** Writes the HTML page of the endpoint. */
  formatPage(): string;
}

/**
 * The response to any request but a POST to the endpoint: the WSDL, the discovery document, a page or an error page.
 */
export function documentResponse({ method, path, query }: HttpRequest, documents: EndpointDocuments): HttpResponse {
  if (path.startsWith(`${endpointPath}/`)) {
    const text = `Request format is unrecognized for URL unexpectedly ending in '${path.slice(endpointPath.length)}'.`;
    return htmlResponse(500, formatErrorPage('Server Error', text));
  }
  if (path !== endpointPath) {
    return htmlResponse(404, formatErrorPage('Not Found', `The service is at ${endpointPath}.`));
  }
  if (!isReading(method)) {
    const page = formatErrorPage('Method Not Allowed', 'The service accepts POST, and GET for its documentation.');
    const { status, headers, body } = htmlResponse(405, page);
    return { status, headers: { ...headers, Allow: 'GET, HEAD, POST' }, body };
  }
  const { namespace, address } = documents;
  const words = query.toLowerCase().split('&');
  if (words.includes('wsdl')) return xmlResponse(formatWsdl(namespace, address));
  if (words.includes('disco')) return xmlResponse(formatDiscovery(address));
  return htmlResponse(200, documents.formatPage());
}

function htmlResponse(status: number, body: string): HttpResponse {
  return { status, headers: { 'Cache-Control': 'private', 'Content-Type': 'text/html; charset=utf-8' }, body };
}

function xmlResponse(body: string): HttpResponse {
  return { status: 200, headers: { 'Cache-Control': 'private', 'Content-Type': 'text/xml; charset=utf-8' }, body };
}

function formatErrorPage(title: string, text: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></body>
</html>
`;
}

/** The discovery document, which refers to the WSDL. */
function formatDiscovery(address: string): string {
  const page = escapeAttribute(address);
  return (
    '<?xml version="1.0" encoding="utf-8"?><discovery xmlns="http://schemas.xmlsoap.org/disco/">' +
    `<contractRef ref="${escapeAttribute(wsdlAddressOf(address))}" docRef="${page}" xmlns="http://schemas.xmlsoap.org/disco/scl/" /></discovery>`
  );
}

/** Escapes text for an element or an attribute of HTML. */
export function escapeHtml(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
