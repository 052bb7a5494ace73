import { Client } from 'soap/lib/client';
import { service } from '../../../generated/operations';
import type { MessagingV1Client, StubMethods } from '../../../generated/v1';
import type { Mask } from '../../internal/mask';
import type { Settings } from '../../settings/client-options';
import type { OperationName } from '../../types';
import type { Call } from '../call/call';
import { type OperationPlan, planOperation } from '../call/plan';
import { versions } from '../elements/envelope';
import { ConnectionPool } from '../http/connection-pool';
import { GeneratedWsdl } from './generated-wsdl';
import { HttpClient } from './http-client';

/** What the calls of a client go through. */
export interface Stub {
  /** The typed stub's methods, over node-soap's Client. */
  readonly methods: StubMethods<Call>;
  /** What all calls of an operation share. @throws {RequestError} when there is no such operation */
  readonly planOf: (operation: string) => OperationPlan;
  /** Lets calls under way finish, then closes the connections. */
  readonly close: () => Promise<void>;
  /** Cancels all calls under way. */
  readonly cancelAll: () => void;
}

/** node-soap's Client without what it keeps of a call: the request with its API key, and the whole answer. */
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

/** Plugs our WSDL and our HTTP client into node-soap's Client. */
export function createStub(settings: Settings, mask: Mask): Stub {
  const plans = new Map<string, OperationPlan>();
  const planOf = (operation: string): OperationPlan => {
    let plan = plans.get(operation);
    if (!plan) {
      plan = planOperation(operation as OperationName, settings, mask);
      plans.set(operation, plan);
    }
    return plan;
  };
  const url = settings.baseUrl + service.path;
  const pool = new ConnectionPool({ ...settings, url });
  const wsdl = new GeneratedWsdl(settings.namespace, url, planOf);
  const client = new StatelessClient(GeneratedWsdl.asNodeSoap(wsdl), undefined, {
    httpClient: HttpClient.asNodeSoap(new HttpClient(pool, settings, planOf)),
    envelopeKey: versions[settings.soapVersion].prefix,
    forceSoap12Headers: settings.soapVersion === '1.2',
  });
  // The Client makes its methods from the WSDL when it is constructed, which no type can say.
  return {
    methods: client as MessagingV1Client,
    planOf,
    close: () => pool.close(),
    cancelAll: () => pool.cancelAll(),
  };
}
