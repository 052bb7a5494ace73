import { Client } from 'soap/lib/client';
import type { MessagingV1Client } from '../../generated/v1';
import type { Settings } from '../options';
import { HttpClient } from './http-client';
import { TableWsdl } from './table-wsdl';
import type { Transport } from './transport/transport';
import { ENDPOINT_PATH, versions } from './versions';

/** node-soap's Client, but that it keeps nothing of a call: not the request with its API key, not a whole list. */
class ForgetfulClient extends Client {
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
    for (const name of kept) Object.defineProperty(ForgetfulClient.prototype, name, { set() {} });
  }
}

/** The typed stub over node-soap's Client, with our WSDL and HTTP client plugged in. */
export function createStub(settings: Settings, transport: Transport): MessagingV1Client {
  const { prefix } = versions[settings.soapVersion];
  const wsdl = new TableWsdl(settings.namespace, endpointOf(settings));
  const client = new ForgetfulClient(TableWsdl.asNodeSoap(wsdl), undefined, {
    httpClient: HttpClient.asNodeSoap(new HttpClient(transport, settings.soapVersion)),
    envelopeKey: prefix,
    forceSoap12Headers: settings.soapVersion === '1.2',
  });
  // Its methods are made from the WSDL when it is constructed, which no type can say.
  return client as MessagingV1Client;
}

export function endpointOf(settings: Pick<Settings, 'baseUrl'>): string {
  return settings.baseUrl + ENDPOINT_PATH;
}

/** The transport that the settings ask for. A proxy needs the pool, whose library knows how to speak to one. */
export function createTransport(settings: Settings): Transport {
  const transportSettings = { ...settings, url: endpointOf(settings) };
  if (settings.keepAlive || settings.proxy !== undefined) {
    const { PoolTransport } = require('./transport/pool') as typeof import('./transport/pool');
    return new PoolTransport(transportSettings);
  }
  const { SingleTransport } = require('./transport/single') as typeof import('./transport/single');
  return new SingleTransport(transportSettings);
}
