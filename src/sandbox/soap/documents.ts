import { operationDocumentation } from '../../../generated/documentation';
import { service } from '../../../generated/operations';
import { endpointPath, formatWsdl, wsdlAddressOf } from '../../soap/wsdl';
import { escapeAttribute } from '../../xml/escape';
import { type HttpRequest, type HttpResponse, isReading } from '../http';

/** The response to any request but a POST to the endpoint: the WSDL, the page of the endpoint or an error page. */
export function documentResponse({ method, path, query, origin }: HttpRequest, namespace: string): HttpResponse {
  if (path !== endpointPath) return documentPage(404, 'Not Found', `<p>The service is at ${endpointPath}.</p>`);
  if (!isReading(method)) {
    const text = '<p>The service accepts POST, and GET for its documentation.</p>';
    return documentPage(405, 'Method Not Allowed', text, { Allow: 'GET, HEAD, POST' });
  }
  const address = `${origin}${service.path}`;
  if (query.toLowerCase().split('&').includes('wsdl')) return document(200, 'xml', formatWsdl(namespace, address));
  return documentPage(200, 'Messaging Service sandbox', describeService(address, namespace));
}

function describeService(address: string, namespace: string): string {
  const rows = Object.entries(operationDocumentation).map(([operation, { summary, request }]) => {
    const fields = Object.entries(request).map(
      ([name, text]) => `<li><code>${name}</code>: ${escapeAttribute(text)}</li>`,
    );
    return `<dt>${operation}</dt><dd>${escapeAttribute(summary)}<ul>${fields.join('')}</ul></dd>`;
  });
  const wsdl = escapeAttribute(wsdlAddressOf(address));
  return `<p>Version 1 of the service, for tests and demonstrations. It sends nothing to anyone.</p>
<p>WSDL: <a href="${wsdl}">${wsdl}</a><br>Namespace: <code>${escapeAttribute(namespace)}</code></p>
<p><a href="/">The page of the sandbox</a> shows the messages, and how to send a first one.</p>
<dl>
${rows.join('\n')}
</dl>`;
}

/** @param content HTML */
function documentPage(status: number, title: string, content: string, headers = {}): HttpResponse {
  const html = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1>
${content}
</body>
</html>
`;
  return document(status, 'html', html, headers);
}

function document(status: number, type: 'html' | 'xml', body: string, others = {}): HttpResponse {
  const headers = { 'Cache-Control': 'private', 'Content-Type': `text/${type}; charset=utf-8`, ...others };
  return { status, headers, body };
}
