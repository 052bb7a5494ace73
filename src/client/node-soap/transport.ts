import type { IExOptions } from 'soap';
import { Client } from 'soap/lib/client';
import type { WSDL } from 'soap/lib/wsdl';
import { type OperationName, service } from '../../../generated/operations';
import type { v1Client } from '../../../generated/v1/client';
import { ConnectionPool } from '../../http/connection-pool';
import { soapVersions } from '../../soap/versions';
import type { StubRequest, StubResponse } from '../../types';
import type { Call } from '../call';
import type { Settings } from '../options/client';
import { exOptionsOf } from './call-options';
import { httpClient } from './http-client';
import { PreparedWsdl } from './prepared-wsdl';

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

/** The type of a method of the generated client. */
type StubMethod<O extends OperationName> = (
  request: StubRequest<O>,
  options: IExOptions,
) => Promise<[response: StubResponse<O>, ...unused: unknown[]]>;

/** The generated client on its connections. */
export class Transport {
  readonly pool: ConnectionPool;
  readonly #stub: v1Client;

  constructor(settings: Settings) {
    const url = settings.baseUrl + service.path;
    this.pool = new ConnectionPool({ ...settings, url });
    const wsdl = new PreparedWsdl(settings.namespace, url) as unknown as WSDL;
    // The Client makes the methods of v1Client from the WSDL when it is constructed.
    this.#stub = new StatelessClient(wsdl, undefined, {
      httpClient: httpClient(this.pool, settings),
      envelopeKey: soapVersions[settings.soapVersion].prefix,
      forceSoap12Headers: settings.soapVersion === '1.2',
    }) as v1Client;
  }

  /** Calls the generated client's method of an operation, such as SendSimpleByApikeyAsync. */
  async send<O extends OperationName>(operation: O, request: StubRequest<O>, call: Call): Promise<StubResponse<O>> {
    // TypeScript takes the method of a generic operation for any of the ten.
    const method = this.#stub[`${operation}Async`] as StubMethod<O>;
    const [response] = await method(request, exOptionsOf(operation, call));
    return response;
  }
}
