import { service } from '../../../generated/operations';
import { quoteForShell } from '../../internal/shell';
import { soapVersions } from '../../soap/versions';
import { escapeAttribute, escapeText } from '../../xml/escape';

/** The sandbox that an example calls. */
export interface ExampleTarget {
  readonly baseUrl: string;
  readonly namespace: string;
  readonly apiKey: string;
}

/** Shell commands that set the variables of a sandbox and send a first message. */
export function formatFirstMessage(
  messaging: string,
  { baseUrl, namespace, apiKey }: ExampleTarget,
  variables: readonly string[] = [],
): string {
  return [
    `export MESSAGING_BASE_URL=${quoteForShell(baseUrl)}`,
    `export MESSAGING_NAMESPACE=${quoteForShell(namespace)}`,
    `export MESSAGING_API_KEY=${quoteForShell(apiKey)}`,
    'export MESSAGING_SUCCESS_STATUSES=200',
    ...variables,
    `${messaging} send-simple --sender 3000 --message 'سلام' \\`,
    '  --receptor 09120000001 --unixdate 0 --msgmode 1',
  ].join('\n');
}

/** A shell command that puts a received message into the sandbox. */
export function formatReceived({ baseUrl }: ExampleTarget): string {
  const message = { sender: '09120000001', receptor: '3000', message: 'سلام' };
  return [
    `curl ${quoteForShell(`${baseUrl}/sandbox/received`)}`,
    "  -H 'Content-Type: application/json'",
    `  -d ${quoteForShell(JSON.stringify(message))}`,
  ].join(' \\\n');
}

/** A shell command that sends a first message with curl, as SOAP 1.1. */
export function formatFirstCall({ baseUrl, namespace, apiKey }: ExampleTarget): string {
  const { contentType, namespace: envelope } = soapVersions['1.1'];
  const body = `<soap:Envelope
  xmlns:soap="${envelope}"><soap:Body>
<SendSimpleByApikey xmlns="${escapeAttribute(namespace)}">
  <apikey>${escapeText(apiKey)}</apikey><sender>3000</sender>
  <message>hello</message><receptor><string>09120000001</string></receptor>
  <unixdate>0</unixdate><msgmode>1</msgmode>
  <status>0</status><statusmessage></statusmessage>
</SendSimpleByApikey></soap:Body></soap:Envelope>`;
  return [
    `curl ${quoteForShell(`${baseUrl}${service.path}`)}`,
    `  -H ${quoteForShell(`Content-Type: ${contentType}`)}`,
    `  -H ${quoteForShell(`SOAPAction: "${namespace}SendSimpleByApikey"`)}`,
    `  -d ${quoteForShell(body)}`,
  ].join(' \\\n');
}
