import { operationDocumentation } from '../../../generated/documentation';
import { quoteForShell } from '../../internal/strings';
import { versions } from '../../soap/elements/envelope';
import { type Operation, type OperationName, operations, service } from '../../soap/elements/legacy-fields';
import { formatWsdl } from '../../soap/wsdl-text';
import { escapeAttribute, escapeText } from '../../xml/escape';
import { XSD_NAMESPACE, XSI_NAMESPACE } from '../../xml/namespaces';
import type { HttpAnswer } from './http-answer';

/** What the documents of an endpoint contain. */
export interface EndpointDocuments {
  readonly namespace: string;
  /** The URL of the endpoint as the caller reaches it. */
  readonly address: string;
  /** The key in the example request. */
  readonly apiKey: string;
}

/** The answer to any request that is not a POST to the endpoint: the WSDL, the discovery document, a page or an error page. */
export function documentAnswer(method: string, path: string, query: string, documents: EndpointDocuments): HttpAnswer {
  if (path.startsWith(`${service.path}/`)) {
    const text = `Request format is unrecognized for URL unexpectedly ending in '${path.slice(service.path.length)}'.`;
    return htmlAnswer(500, formatErrorPage('Server Error', text));
  }
  if (path !== service.path) {
    return htmlAnswer(404, formatErrorPage('Not Found', `The service is at ${service.path}.`));
  }
  if (method !== 'GET') {
    const page = formatErrorPage('Method Not Allowed', 'The service takes POST, and GET for its documentation.');
    const { status, headers, body } = htmlAnswer(405, page);
    return { status, headers: { ...headers, Allow: 'GET, POST' }, body };
  }
  const { namespace, address } = documents;
  if (query.toLowerCase() === 'wsdl') return xmlAnswer(formatWsdl(namespace, address));
  if (query.toLowerCase() === 'disco') return xmlAnswer(formatDiscovery(address));
  return htmlAnswer(200, formatEndpointPage(documents));
}

function htmlAnswer(status: number, body: string): HttpAnswer {
  return { status, headers: { 'Cache-Control': 'private', 'Content-Type': 'text/html; charset=utf-8' }, body };
}

function xmlAnswer(body: string): HttpAnswer {
  return { status: 200, headers: { 'Cache-Control': 'private', 'Content-Type': 'text/xml; charset=utf-8' }, body };
}

/** The operations, the WSDL's address, and an example request. */
function formatEndpointPage({ namespace, address, apiKey }: EndpointDocuments): string {
  const rows = Object.entries<Operation>(operations).map(([name, { request }]) => {
    const { summary, request: texts } = operationDocumentation[name as OperationName];
    const fields = request.map((field) => {
      const type = field.item === undefined ? field.type : `list of ${field.item}`;
      const text = Object.hasOwn(texts, field.name) ? ` ${texts[field.name]}` : '';
      return `<li><code>${escapeHtml(field.name)}</code>: ${escapeHtml(`${type}.${text}`)}</li>`;
    });
    return `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(summary)}<ul>${fields.join('')}</ul></td></tr>`;
  });
  const wsdl = `${address}?wsdl`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Messaging Service sandbox</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
th { text-align: left; vertical-align: top; padding-right: 1.5rem; font-weight: 600; }
td { color: #555; }
pre { background: #f4f4f4; padding: 1rem; overflow-x: auto; }
</style>
</head>
<body>
<h1>Messaging Service sandbox</h1>
<p>Version 1 of the service, for tests and demonstrations. Nothing is delivered.</p>
<p>WSDL: <a href="${escapeHtml(wsdl)}">${escapeHtml(wsdl)}</a><br>Namespace: <code>${escapeHtml(namespace)}</code></p>
<h2>Operations</h2>
<table>
${rows.join('\n')}
</table>
<h2>Example</h2>
<pre>${escapeHtml(formatCurl(namespace, address, apiKey))}</pre>
</body>
</html>
`;
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
    `<contractRef ref="${page}?wsdl" docRef="${page}" xmlns="http://schemas.xmlsoap.org/disco/scl/" /></discovery>`
  );
}

const EXAMPLE = 'RemainCreditByApiKey';

function formatCurl(namespace: string, address: string, apiKey: string): string {
  const { contentType } = versions['1.1'];
  return [
    `curl ${quoteForShell(address)}`,
    `  -H ${quoteForShell(`Content-Type: ${contentType}`)}`,
    `  -H ${quoteForShell(`SOAPAction: "${namespace}${EXAMPLE}"`)}`,
    `  -d ${quoteForShell(formatExample(namespace, apiKey))}`,
  ].join(' \\\n');
}

function formatExample(namespace: string, apiKey: string): string {
  const { prefix, namespace: envelope } = versions['1.1'];
  const fields = operations[EXAMPLE].request.map(({ name, type }) => {
    const value = name === 'apikey' ? escapeText(apiKey) : type === 'string' ? '' : '0';
    return `      <${name}>${value}</${name}>`;
  });
  return `<${prefix}:Envelope xmlns:xsi="${XSI_NAMESPACE}"
  xmlns:xsd="${XSD_NAMESPACE}" xmlns:${prefix}="${envelope}">
  <${prefix}:Body>
    <${EXAMPLE} xmlns="${escapeAttribute(namespace)}">
${fields.join('\n')}
    </${EXAMPLE}>
  </${prefix}:Body>
</${prefix}:Envelope>`;
}

function escapeHtml(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
