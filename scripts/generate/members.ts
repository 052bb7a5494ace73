import { Client } from 'soap/lib/client';
import type { WSDL } from 'soap/lib/wsdl';

// node-soap's client gets a member for the service and two for each operation. A name must not replace a member that
// the client has or uses itself. So the client is built with the name, called, and compared with one that has harmless
// names.

/** Names that no service and no operation can have, because they are no names in XML. */
const [SERVICE, OPERATION] = ['a service', 'an operation'];

type Method = (request: object, callback: () => void) => void;

interface Attempt {
  readonly client: object;
  /** What the client gives its HTTP client for a call: address, envelope and headers. */
  readonly exchange: string;
}

/** Builds node-soap's client with a service and an operation, and calls the operation. */
function attempt(service: string, operation: string): Attempt {
  const exchange: unknown[] = [];
  const methods = {
    [operation]: { input: {}, output: { $name: 'response' }, soapAction: 'action', style: 'document' },
  };
  // The part of a WSDL that the client reads.
  const wsdl = {
    definitions: { services: { [service]: { ports: { port: { binding: { methods } } } } }, xmlns: {} },
    options: {},
    xmlnsInEnvelope: '',
    objectToDocumentXML: () => 'body',
    xmlToObject: () => ({ Body: { response: {} } }),
  };
  const request = (url: string, xml: string, callback: (...response: unknown[]) => void, headers: object) => {
    exchange.push(url, xml, headers);
    callback(null, {}, '');
  };
  const client = new Client(wsdl as unknown as WSDL, 'http://messaging.example/', { httpClient: { request } as never });
  try {
    (client[operation] as Method)({}, () => exchange.push('response'));
  } catch (error) {
    exchange.push(String(error));
  }
  return { client, exchange: JSON.stringify(exchange) };
}

const harmless = attempt(SERVICE, OPERATION);

/** True for a name of a service or an operation that replaces a member which node-soap's client has, sets or reads. */
export function isMember(name: string): boolean {
  return (
    name in harmless.client ||
    [attempt(name, OPERATION), attempt(SERVICE, name)].some(({ exchange }) => exchange !== harmless.exchange)
  );
}

/** True for an operation for which node-soap's client has a method that returns a promise. */
export function hasPromiseMethod(operation: string): boolean {
  return (
    typeof (attempt(SERVICE, operation).client as Readonly<Record<string, unknown>>)[`${operation}Async`] === 'function'
  );
}
