import { transcode } from 'node:buffer';
import type { IHttpClient } from 'soap';
import { version } from '../../internal/version';
import type { SoapVersion } from '../../types';
import type { Call, CallLimits } from '../call/call';
import type { OperationPlan } from '../call/plan';
import { versions } from '../elements/envelope';
import type { ConnectionPool } from '../http/connection-pool';
import { Exchange } from '../http/exchange';
import type { ResponseObject } from '../response/answer';

type Callback = (error: unknown, response?: { status: number }, envelope?: { Body: ResponseObject }) => void;

/** What node-soap's Client sends its envelopes through. It gives the answer back decoded, as the Body of an envelope. */
export class HttpClient {
  readonly #pool: ConnectionPool;
  readonly #limits: CallLimits;
  readonly #planOf: (operation: string) => OperationPlan;
  /** The headers that are the same for every request, names and values in turn. */
  readonly #headers: readonly string[];

  constructor(
    pool: ConnectionPool,
    settings: CallLimits & { readonly soapVersion: SoapVersion },
    planOf: (operation: string) => OperationPlan,
  ) {
    this.#pool = pool;
    this.#limits = settings;
    this.#planOf = planOf;
    // node-soap adds an action parameter to the Content-Type of 1.2, which the contract does not show.
    const { contentType } = versions[settings.soapVersion];
    this.#headers = ['User-Agent', `messaging-soap/${version}`, 'Content-Type', contentType];
  }

  /** The part of node-soap's interface that its Client uses; it ignores what axios would return. */
  static asNodeSoap(client: HttpClient): IHttpClient {
    return client as unknown as IHttpClient;
  }

  request(url: string, body: string, callback: Callback, { SOAPAction }: { SOAPAction?: string }, call: Call): void {
    const plan = this.#planOf(call.exchangeId);
    const exchange = new Exchange(plan, call, this.#limits, this.#pool, (error, response) => {
      if (response) callback(null, { status: 200 }, { Body: { [plan.reading.schema.name]: response } });
      else callback(error);
    });
    // SOAP 1.2 has no SOAPAction.
    const headers = SOAPAction === undefined ? [...this.#headers] : [...this.#headers, 'SOAPAction', SOAPAction];
    exchange.start(url, headers, encode(body));
  }
}

/** Longer texts are encoded through UTF-16: two to four times as fast as Node's own encoding. */
const LARGE = 4096;
/** In UTF-16 units. */
const SCRATCH = 524_288;
/** Memory for the UTF-16 of a large text; getting it from the system for each costs more than encoding. */
let scratch: Buffer | undefined;

function encode(text: string): string | Buffer {
  if (text.length <= LARGE) return text;
  return transcode(text.length <= SCRATCH ? writeScratch(text) : Buffer.from(text, 'utf16le'), 'utf16le', 'utf8');
}

function writeScratch(text: string): Buffer {
  scratch ??= Buffer.allocUnsafeSlow(2 * SCRATCH);
  return scratch.subarray(0, scratch.write(text, 'utf16le'));
}
