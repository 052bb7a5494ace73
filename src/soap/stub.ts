import { Client } from 'soap/lib/client';
import type { MessagingV1Client } from '../../generated/v1';
import type { Settings } from '../options';
import { GeneratedWsdl } from './generated-wsdl';
import { ConnectionPool } from './http/pool';
import { HttpClient } from './http-client';
import { ENDPOINT_PATH, versions } from './versions';

/** node-soap's Client, but that it keeps nothing of a call: not the request with its API key, not a whole list. */
class StatelessClient extends Client {
  static {
    const kept = [
      'lastMessage',
      'lastRequest',
      'lastRequestHeaders',
      'lastResponse',
      'lastResponseHeaders',
      'lastResponseAttachments',
    ];
    // On the prototype, where assignments find them; TypeScript takes no accessor for what Client declares as a field.
    for (const name of kept) Object.defineProperty(StatelessClient.prototype, name, { set() {} });
  }
}

/** The typed stub over node-soap's Client, with our WSDL and HTTP client plugged in. */
export function createStub(settings: Settings, pool: ConnectionPool): MessagingV1Client {
  const { prefix } = versions[settings.soapVersion];
  const wsdl = new GeneratedWsdl(settings.namespace, endpointOf(settings));
  const client = new StatelessClient(GeneratedWsdl.asNodeSoap(wsdl), undefined, {
    httpClient: HttpClient.asNodeSoap(new HttpClient(pool, settings.soapVersion)),
    envelopeKey: prefix,
    forceSoap12Headers: settings.soapVersion === '1.2',
  });
  // Its methods are made from the WSDL when it is constructed, which no type can say.
  return client as MessagingV1Client;
}

export function endpointOf(settings: Pick<Settings, 'baseUrl'>): string {
  return settings.baseUrl + ENDPOINT_PATH;
}

export function createPool(settings: Settings): ConnectionPool {
  return new ConnectionPool({ ...settings, url: endpointOf(settings) });
}
