import { operations } from '../../generated/operations';
import { quoteForShell } from '../shell-quote';
import { versions } from '../soap/versions';
import { escapeAttribute, escapeText } from '../xml/escape';
import { XSD_NAMESPACE, XSI_NAMESPACE } from '../xml/namespaces';

/** What a browser gets: the operations, the WSDL, and a request to try. */
export function formatPage(namespace: string, address: string, apiKey: string): string {
  const rows = Object.entries(operations).map(([name, { request }]) => {
    const fields = request.map((field) => `${field.name}: ${'item' in field ? `list of ${field.item}` : field.type}`);
    return `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(fields.join(', '))}</td></tr>`;
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
<p>Version 1 of the service, for tests and demos: nothing is delivered, and all is forgotten when it ends.</p>
<p>WSDL: <a href="${escapeHtml(wsdl)}">${escapeHtml(wsdl)}</a><br>Namespace: <code>${escapeHtml(namespace)}</code></p>
<h2>Operations</h2>
<table>
${rows.join('\n')}
</table>
<h2>Try it</h2>
<pre>${escapeHtml(formatCurl(namespace, address, apiKey))}</pre>
</body>
</html>
`;
}

/** A page that says what went wrong. */
export function formatErrorPage(title: string, text: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></body>
</html>
`;
}

/** The discovery document, which points at the WSDL. */
export function formatDiscovery(address: string): string {
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
  return [
    `<${prefix}:Envelope xmlns:xsi="${XSI_NAMESPACE}"`,
    `  xmlns:xsd="${XSD_NAMESPACE}" xmlns:${prefix}="${envelope}">`,
    `  <${prefix}:Body>`,
    `    <${EXAMPLE} xmlns="${escapeAttribute(namespace)}">`,
    ...fields,
    `    </${EXAMPLE}>`,
    `  </${prefix}:Body>`,
    `</${prefix}:Envelope>`,
  ].join('\n');
}

function escapeHtml(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
