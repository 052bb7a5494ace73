import { transcode } from 'node:buffer';
import type { IHttpClient } from 'soap';
import type { SoapVersion } from '../types';
import { version } from '../version';
import { CallFailure } from './call-failure';
import { Clock } from './clock';
import { type Call, Exchange } from './exchange';
import type { StubShaped } from './reading/answer';
import { ANSWER } from './table-wsdl';
import type { Transport } from './transport/transport';
import { versions } from './versions';

type Callback = (error: unknown, response?: { status: number }, envelope?: { Body: { [ANSWER]: StubShaped } }) => void;

const USER_AGENT = `messaging-soap/${version}`;

/** What node-soap's Client sends its envelopes through. The answer comes back decoded: see exchange.ts. */
export class HttpClient {
  readonly #transport: Transport;
  readonly #version: SoapVersion;
  readonly #clock = new Clock();

  constructor(transport: Transport, version: SoapVersion) {
    this.#transport = transport;
    this.#version = version;
  }

  /** The part of node-soap's interface that its Client uses; it ignores what axios would return. */
  static asNodeSoap(client: HttpClient): IHttpClient {
    return client as unknown as IHttpClient;
  }

  request(_url: string, body: string, callback: Callback, nodeSoapHeaders: { SOAPAction?: string }, call: Call): void {
    const { contentType, soapAction } = versions[this.#version];
    // node-soap adds an action parameter to the Content-Type of 1.2, which the contract does not show.
    const headers: Record<string, string> = { 'Content-Type': contentType, 'User-Agent': USER_AGENT };
    if (soapAction) headers.SOAPAction = nodeSoapHeaders.SOAPAction as string;
    const exchange = new Exchange(call, this.#clock, (error, response) => {
      if (response) callback(null, { status: 200 }, { Body: { [ANSWER]: response } });
      else callback(new CallFailure(error));
    });
    exchange.start(this.#transport, { headers, body: encode(body) });
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
