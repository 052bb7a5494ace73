import { operationDocumentation } from '../../../generated/documentation';
import { type OperationName, operations } from '../../../generated/operations';
import type { Operation } from '../../soap/element';
import { describeValue } from '../../soap/values';
import { wsdlAddressOf } from '../../soap/wsdl';
import { escapeHtml } from '../soap/documents';
import { type ExampleTarget, formatCurl } from './first-message';

/** Writes the page of the endpoint: its operations, the address of its WSDL, and a request to try. */
export function formatEndpointPage(address: string, target: ExampleTarget): string {
  const rows = Object.entries<Operation>(operations).map(([name, { request }]) => {
    const { summary, request: texts } = operationDocumentation[name as OperationName];
    const fields = request.map((element) => {
      const text = Object.hasOwn(texts, element.name) ? ` ${texts[element.name]}` : '';
      return `<li><code>${escapeHtml(element.name)}</code>: ${escapeHtml(`${describeValue(element)}.${text}`)}</li>`;
    });
    return `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(summary)}<ul>${fields.join('')}</ul></td></tr>`;
  });
  const wsdl = wsdlAddressOf(address);
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
<p>Version 1 of the service, for tests and demonstrations. It sends nothing to anyone.</p>
<p>WSDL: <a href="${escapeHtml(wsdl)}">${escapeHtml(wsdl)}</a><br>Namespace: <code>${escapeHtml(target.namespace)}</code></p>
<h2>Operations</h2>
<table>
${rows.join('\n')}
</table>
<h2>Example: send a message with curl</h2>
<pre>${escapeHtml(formatCurl(target))}</pre>
</body>
</html>
`;
}
