/**
 * A service in a process of its own. It responds with prepared bytes. With the folder of a built package as argument,
 * it is the sandbox of that package. It sends its address first, and its CPU time after each message.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { API_KEY, idAt, NAMESPACE, recordAt } from './data';

const responses = new Map<string, Buffer>();

function responseTo(operation: string, items: number): Buffer {
  const key = `${operation} ${items}`;
  const known = responses.get(key);
  if (known) return known;
  const write = operation === 'SelectlatestByApikey' ? writeRecord : (index: number) => `<long>${idAt(index)}</long>`;
  const list = () => Array.from({ length: items }, (_, index) => write(index)).join('');
  const result = operation === 'RemainCreditByApiKey' ? idAt(0) : list();
  const response = Buffer.from(
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"' +
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body>' +
      `<${operation}Response xmlns="${NAMESPACE}"><${operation}Result>${result}</${operation}Result>` +
      `<status>200</status><statusmessage>ok</statusmessage></${operation}Response></soap:Body></soap:Envelope>`,
  );
  responses.set(key, response);
  return response;
}

/** Writes a record as an ASP.NET service does, with an unescaped CR before each LF. */
function writeRecord(index: number): string {
  const fields = Object.entries(recordAt(index)).map(([name, value]) => {
    const text = String(value).replaceAll('\n', '\r\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return text === '' ? `<${name} />` : `<${name}>${text.replaceAll('>', '&gt;')}</${name}>`;
  });
  return `<ApiSelect>${fields.join('')}</ApiSelect>`;
}

let awakeUntil = 0;
let isAwake = false;

/**
 * Polls for the next request without sleeping, for 20 ms after each request. The system charges the work of waking the
 * server to the client, and on a virtual machine this work costs more than a small call.
 */
function poll(): void {
  isAwake = performance.now() < awakeUntil;
  if (isAwake) setImmediate(poll);
}

function servePreparedBytes(): void {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    awakeUntil = performance.now() + 20;
    if (!isAwake) poll();
    // Each request ends with `status`, which holds the number of items in the response, and the operation's end tag.
    const tail = Buffer.concat(chunks).subarray(-600).toString('latin1');
    const operation = /<\/(?:[\w-]+:)?(\w+ByApi[kK]ey)>/.exec(tail)?.[1] as string;
    const bytes = responseTo(operation, Number(/status[^>]*>(\d+)</.exec(tail)?.[1]));
    response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8', 'content-length': bytes.length }).end(bytes);
  });
  server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

async function serveSandbox(folder: string): Promise<void> {
  const { startSandbox } = require(join(folder, 'dist/src/sandbox/index.js')) as typeof import('../../src/sandbox');
  process.send?.((await startSandbox({ apiKey: API_KEY, namespace: NAMESPACE })).baseUrl);
}

process.on('message', () => process.send?.(process.cpuUsage()));
process.on('disconnect', () => process.exit());
const folder = process.argv[2];
if (folder) serveSandbox(folder);
else servePreparedBytes();
