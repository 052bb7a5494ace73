import { operations, service } from '../../../generated/operations';
import { quoteForShell } from '../../internal/strings';
import type { Element } from '../../soap/element';
import { soapVersions } from '../../soap/versions';
import { escapeAttribute, escapeText } from '../../xml/escape';

/** The sandbox that an example calls. */
export interface ExampleTarget {
  readonly baseUrl: string;
  readonly namespace: string;
  readonly apiKey: string;
}

/**
 * Shell commands that set the variables of a sandbox and send a first message.
 *
 * @param messaging the name of the program
 */
export function formatFirstMessage(
  messaging: string,
  target: ExampleTarget,
  variables: readonly string[] = [],
): string {
  const { baseUrl, namespace, apiKey } = target;
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

/** A shell command that sends a first message with curl, as SOAP 1.1. */
export function formatCurl(target: ExampleTarget): string {
  return [
    `curl ${quoteForShell(`${target.baseUrl}${service.path}`)}`,
    `  -H ${quoteForShell(`Content-Type: ${soapVersions['1.1'].contentType}`)}`,
    `  -H ${quoteForShell(`SOAPAction: "${target.namespace}${OPERATION}"`)}`,
    `  -d ${quoteForShell(formatEnvelope(target))}`,
  ].join(' \\\n');
}

const OPERATION = 'SendSimpleByApikey';

/** The values of the elements that do not get 0 or an empty text. */
const values: ReadonlyMap<string, string> = new Map([
  ['sender', '3000'],
  ['message', 'hello'],
  ['receptor', '09120000001'],
  ['msgmode', '1'],
]);

function formatEnvelope({ namespace, apiKey }: ExampleTarget): string {
  const { prefix, namespace: envelope } = soapVersions['1.1'];
  const fields = operations[OPERATION].request.map((element: Element) => {
    const { name, kind } = element;
    const value = name === 'apikey' ? escapeText(apiKey) : (values.get(name) ?? (kind === 'integer' ? '0' : ''));
    const content = element.kind === 'list' ? `<${element.item.name}>${value}</${element.item.name}>` : value;
    return `<${name}>${content}</${name}>`;
  });
  // Two on a line, so that the page shows the whole command.
  const lines = fields.flatMap((field, index) => (index % 2 === 0 ? [`  ${field}${fields[index + 1] ?? ''}`] : []));
  return `<${prefix}:Envelope
  xmlns:${prefix}="${envelope}"><${prefix}:Body>
<${OPERATION} xmlns="${escapeAttribute(namespace)}">
${lines.join('\n')}
</${OPERATION}></${prefix}:Body></${prefix}:Envelope>`;
}
