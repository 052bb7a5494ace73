import { transcode } from 'node:buffer';
import type { IHttpClient } from 'soap';
import type { SoapVersion } from '../types';
import { version } from '../version';
import { CallFailure } from './call-failure';
import { Clock } from './clock';
import { type Call, Exchange } from './exchange';
import { ANSWER } from './generated-wsdl';
import type { ConnectionPool } from './http/pool';
import type { ResponseObject } from './response/answer';
import { versions } from './versions';

type Callback = (
  error: unknown,
  response?: { status: number },
  envelope?: { Body: { [ANSWER]: ResponseObject } },
) => void;

const USER_AGENT = `messaging-soap/${version}`;

/** What node-soap's Client sends its envelopes through. The answer comes back decoded: see exchange.ts. */
export class HttpClient {
  readonly #pool: ConnectionPool;
  /** Lines of the header that are the same for every request. */
  readonly #headers: string;
  readonly #clock = new Clock();

  constructor(pool: ConnectionPool, version: SoapVersion) {
    this.#pool = pool;
    // node-soap adds an action parameter to the Content-Type of 1.2, which the contract does not show.
    this.#headers = `User-Agent: ${USER_AGENT}\r\nContent-Type: ${versions[version].contentType}\r\n`;
  }

  /** The part of node-soap's interface that its Client uses; it ignores what axios would return. */
  static asNodeSoap(client: HttpClient): IHttpClient {
    return client as unknown as IHttpClient;
  }

  request(_url: string, body: string, callback: Callback, { SOAPAction }: { SOAPAction?: string }, call: Call): void {
    // SOAP 1.2 has none.
    const headers = SOAPAction === undefined ? this.#headers : `${this.#headers}SOAPAction: ${SOAPAction}\r\n`;
    const exchange = new Exchange(call, this.#clock, (error, response) => {
      if (response) callback(null, { status: 200 }, { Body: { [ANSWER]: response } });
      else callback(new CallFailure(error));
    });
    exchange.start(this.#pool, { headers, body: encode(body) });
  }
}

/** Text longer than this is encoded here: through UTF-16, which takes Node half the time of its own way, or a quarter. */
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
