import type { IExOptions, IHttpClient } from 'soap';
import type { ConnectionPool } from '../../http/connection-pool';
import { version } from '../../internal/version';
import type { ResponseObject } from '../../soap/element';
import { soapVersions } from '../../soap/versions';
import { Exchange } from '../exchange';
import type { Settings } from '../options/client';
import { callOf } from './call-options';

type Callback = (error: Error | null, http: { status: number }, response?: ResponseObject) => void;
type Headers = { readonly SOAPAction?: string };

/** Sends the envelopes of node-soap's Client, which gets each response as it was read while it arrived. */
export function httpClient(pool: ConnectionPool, settings: Settings): IHttpClient {
  // node-soap adds an action parameter to the Content-Type of 1.2. The contract does not define one.
  const { contentType } = soapVersions[settings.soapVersion];
  /** Names and values in turn. */
  const same = ['User-Agent', `messaging-soap/${version}`, 'Content-Type', contentType];
  // The Client ignores the promise that axios would return.
  const request = (
    url: string,
    xml: string,
    callback: Callback,
    { SOAPAction }: Headers,
    options: IExOptions,
  ): void => {
    const call = callOf(options);
    const exchange = new Exchange(call, settings, pool, (error, response) => {
      callback(error, { status: 200 }, response);
    });
    // SOAP 1.2 has no SOAPAction.
    const headers = SOAPAction === undefined ? [...same] : [...same, 'SOAPAction', SOAPAction];
    if (call.headers.length > 0) headers.push(...call.headers);
    exchange.start(url, headers, xml);
  };
  // The part of the type that the Client uses.
  return { request } as unknown as IHttpClient;
}
