import { service } from '../../../generated/operations';
import { endpointPath, formatWsdl } from '../../soap/wsdl';
import { escapeText } from '../../xml/escape';
import { type HttpRequest, type HttpResponse, isReading } from '../http';

/**
 * The response to any request but a POST to the endpoint: the WSDL, a page or an error page.
 *
 * @param formatPage writes the HTML page of the endpoint at an address, as the caller reaches it
 */
export function documentResponse(
  { method, path, query, origin }: HttpRequest,
  namespace: string,
  formatPage: (address: string) => string,
): HttpResponse {
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
  const address = `${origin}${service.path}`;
  if (!query.toLowerCase().split('&').includes('wsdl')) return htmlResponse(200, formatPage(address));
  return documentOf(200, 'text/xml', formatWsdl(namespace, address));
}

function htmlResponse(status: number, body: string): HttpResponse {
  return documentOf(status, 'text/html', body);
}

function documentOf(status: number, mediaType: string, body: string): HttpResponse {
  return { status, headers: { 'Cache-Control': 'private', 'Content-Type': `${mediaType}; charset=utf-8` }, body };
}

function formatErrorPage(title: string, text: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></body>
</html>
`;
}

/** Escapes text for an element or an attribute of HTML. */
export function escapeHtml(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
