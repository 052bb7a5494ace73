import { Client } from 'soap/lib/client';
import { service } from '../../../generated/operations';
import type { MethodTypes } from '../../../generated/v1/methods';
import { ConnectionPool } from '../../http/connection-pool';
import { soapVersions } from '../../soap/versions';
import type { Call } from '../call';
import type { Settings } from '../options/client';
import { generatedWsdl } from './generated-wsdl';
import { httpClient } from './http-client';

/**
 * The methods that node-soap makes from the WSDL. TypeScript can follow a call of `${operation}Async` through a mapped
 * type, which it cannot do through an interface that lists the methods.
 */
type StubMethods = {
  readonly [M in keyof MethodTypes]: (
    request: MethodTypes[M]['request'],
    call: Call,
  ) => Promise<[response: MethodTypes[M]['response'], ...unused: unknown[]]>;
};

/** The typed stub of a client, on its connections. */
export interface Transport {
  readonly stub: StubMethods;
  readonly pool: ConnectionPool;
}

/** node-soap's Client keeps the request of the last call with its API key, and its response. This one does not. */
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
    // Prototype setters swallow the assignments. TypeScript cannot override a field with an accessor.
    for (const name of kept) Object.defineProperty(StatelessClient.prototype, name, { set() {} });
  }
}

/** Plugs our WSDL and our HTTP client into node-soap's Client. */
export function createTransport(settings: Settings): Transport {
  const url = settings.baseUrl + service.path;
  const pool = new ConnectionPool({ ...settings, url });
  const client = new StatelessClient(generatedWsdl(settings.namespace, url), undefined, {
    httpClient: httpClient(pool, settings),
    envelopeKey: soapVersions[settings.soapVersion].prefix,
    forceSoap12Headers: settings.soapVersion === '1.2',
  });
  // The Client makes its methods from the WSDL when it is constructed. Its own type allows methods of any name.
  return { stub: client as Client & StubMethods, pool };
}
