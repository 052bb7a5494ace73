import { AsyncResource } from 'node:async_hooks';
import type { Transform } from 'node:stream';
import { AbortError, ConnectionError, FaultError, HttpError, ResponseError, TimeoutError } from '../errors';
import {
  explainHttpFailure,
  type HttpConnection,
  type HttpController,
  type HttpHandler,
  type HttpHeaders,
  NotConnected,
} from '../http/connection';
import type { ConnectionPool } from '../http/connection-pool';
import { ConnectTimeout } from '../http/connector';
import { contentCoding, createDecompressor, transferCoding } from '../http/decompress';
import { parseContentType } from '../internal/content-type';
import { onAbort } from '../internal/signals';
import type { ResponseObject } from '../soap/element';
import type { Call } from './call';
import { wire } from './channels';
import type { CallLimits } from './clock';
import type { Settings } from './options/client';
import { SoapFault } from './response/fault';
import { ReadError, unknownEncoding } from './response/reading-words';
import { ResponseReader } from './response/response-reader';
import { PUBLISHED_BYTES, publishRequest, publishResponse } from './wire-publisher';

/**
 * The states of an exchange. It is waiting until bytes of the request may have left, then writing until the head of the
 * response has arrived, then reading. While it reads, the consumer of a stream may pause it. It ends as settled.
 */
type State = 'waiting' | 'writing' | 'reading' | 'settled';

/** One request and its response. It reads while bytes arrive, watches the time and the signal, and settles once. */
export class Exchange implements HttpHandler {
  readonly #call: Call;
  readonly #settings: Settings;
  readonly #pool: ConnectionPool;
  readonly #settle: (error: Error | null, response?: ResponseObject) => void;
  connection: HttpConnection | undefined;
  #state: State = 'waiting';
  #controller: HttpController | undefined;
  #httpStatus = 0;
  #headers: HttpHeaders = {};
  #reader: ResponseReader | undefined;
  #contentCoding: string | undefined;
  #decompressor: Transform | undefined;
  /** True while the decompressor's buffer is full. */
  #isFull = false;
  /** True when HTTP has delivered the whole body. A part of it may still be compressed. */
  #hasArrived = false;
  #isClosing = false;
  /** Publishes the request, and what has arrived of the response. Undefined when nobody listens to the wire. */
  #publishRequest: (() => void) | undefined;
  #publishResponse: ((beginning: string) => void) | undefined;
  readonly #onAbort = (): void => {
    this.#fail(
      new AbortError({ ...this.#call.plan.context, outcome: this.#outcome, cause: this.#call.signal?.reason }),
    );
  };

  constructor(
    call: Call,
    settings: Settings,
    pool: ConnectionPool,
    settle: (error: Error | null, response?: ResponseObject) => void,
  ) {
    this.#call = call;
    this.#settings = settings;
    this.#pool = pool;
    this.#settle = settle;
  }

  get settled(): boolean {
    return this.#state === 'settled';
  }

  /** @param headers names and values in turn */
  start(url: string, headers: string[], body: string): void {
    const { signal, trace, clock, plan } = this.#call;
    if (trace) trace.requestBytes = Buffer.byteLength(body);
    if (wire.hasSubscribers) {
      // The events of a connection come in the asynchronous context of the call that made it.
      this.#publishRequest = AsyncResource.bind(() => publishRequest(plan.context, url, headers, body));
      this.#publishResponse = AsyncResource.bind((beginning: string) =>
        publishResponse(plan.context, this.#httpStatus, this.#headers, beginning),
      );
    }
    if (signal) onAbort(signal, this.#onAbort);
    clock.beginAttempt((limit, withinMs) => this.#expire(limit, withinMs));
    this.#pool.send(headers, body, this);
  }

  onRequestStart(controller: HttpController): void {
    if (!this.settled) this.#call.clock.onRequestStart();
    if (this.settled) return controller.abort(new Error('settled'));
    this.#state = 'writing';
    this.#controller = controller;
    this.#publishRequest?.();
  }

  onResponseStart(_: HttpController, status: number, headers: HttpHeaders): void {
    this.#awaitBytes();
    // 1xx: the response itself is still to come (RFC 9110, section 15.2).
    if (status < 200) return;
    this.#state = 'reading';
    this.#httpStatus = status;
    this.#headers = headers;
    if (this.#call.trace) this.#call.trace.httpStatus = status;
    const { 'content-type': contentType, 'content-encoding': contentEncoding } = headers;
    const { 'transfer-encoding': transferEncoding = 'chunked' } = headers;
    const { mediaType, parameters } = parseContentType(typeof contentType === 'object' ? contentType[0] : contentType);
    const { plan, maxResponseBytes, onUnreadable } = this.#call;
    this.#reader = new ResponseReader(
      plan,
      parameters.get('charset'),
      maxResponseBytes,
      this.#publishRequest && PUBLISHED_BYTES,
      onUnreadable && ((message) => this.settled || onUnreadable(new ResponseError({ ...plan.context, message }))),
    );
    if (mediaType.startsWith('multipart/')) {
      this.#reader.fail('the service sends multipart, with attachments; MTOM is not supported');
    }
    if (transferEncoding !== 'chunked' && transferCoding(transferEncoding) !== undefined) {
      this.#reader.fail(unknownEncoding('Transfer-Encoding', String(transferEncoding), plan.context));
    }
    if (contentEncoding !== undefined) this.#contentCoding = contentCoding(contentEncoding);
  }

  onResponseData(_: HttpController, chunk: Buffer): void {
    if (this.settled) return;
    const { trace } = this.#call;
    if (trace) trace.responseBytes = (trace.responseBytes ?? 0) + chunk.length;
    this.#awaitBytes();
    if (this.#contentCoding !== undefined) this.#startDecompressing(this.#contentCoding, chunk);
    const stream = this.#decompressor;
    if (!stream) return this.#read(chunk);
    if (stream.write(chunk) || this.#isFull) return;
    this.#isFull = true;
    this.connection?.pause(true);
    this.#call.clock.stopAwaiting();
    stream.once('drain', () => {
      this.#isFull = false;
      this.#awaitBytes();
      this.connection?.pause(false);
    });
  }

  onResponseEnd(): void {
    this.connection?.onResponseEnd();
    if (this.settled) return;
    this.#hasArrived = true;
    this.#call.clock.stopAwaiting();
    if (this.#decompressor) return void this.#decompressor.end();
    const { 'content-length': length, 'transfer-encoding': coding } = this.#headers;
    // Without both headers, a truncated body looks complete.
    this.#finish(length !== undefined || coding !== undefined);
  }

  onResponseError(_: HttpController, failure: Error): void {
    if (this.settled || (this.#state === 'waiting' && this.connection?.sendsAgainAfter(failure))) return;
    const context = { ...this.#call.plan.context, outcome: this.#outcome };
    const cause = (failure instanceof NotConnected ? failure.cause : failure) as Error;
    if (cause instanceof ConnectTimeout) {
      const { connectTimeoutMs: timeoutMs } = this.#settings;
      const phase = `making the connection${cause.message && ` (${cause.message})`}`;
      return this.#fail(new TimeoutError({ ...context, timeoutMs, phase }));
    }
    const closed = { code: 'ECONNRESET', message: 'the connection was closed' };
    const { code, message } = this.connection?.wasClosedByService
      ? closed
      : explainHttpFailure(cause, this.#state === 'reading');
    const what = this.#state === 'waiting' ? 'cannot connect' : `the connection failed ${this.#phase}`;
    this.#fail(new ConnectionError({ ...context, code, message: `${what}: ${message}`, cause }));
  }

  get #outcome(): 'not-sent' | 'unknown' {
    return this.#state === 'waiting' ? 'not-sent' : 'unknown';
  }

  get #phase(): string {
    if (this.#state === 'waiting') return 'waiting for a connection';
    return this.#state === 'writing' ? 'waiting for the response' : 'reading the response';
  }

  #expire(limit: keyof CallLimits, timeoutMs: number): void {
    // The service has done its part.
    if (this.#hasArrived) return;
    // Nobody can respond to half a request.
    if (limit === 'silence' && this.#state === 'writing' && this.connection?.isWriting) return this.#awaitBytes();
    const message = {
      call: undefined,
      start: `timed out: the request had not begun after ${timeoutMs} ms`,
      silence: `timed out: no byte came for ${timeoutMs} ms while ${this.#phase}`,
    }[limit];
    const context = { ...this.#call.plan.context, outcome: this.#outcome };
    this.#fail(new TimeoutError({ ...context, timeoutMs, phase: this.#phase, message }));
  }

  /** Starts the limit for the service's silence anew, unless no bytes are asked for. */
  #awaitBytes(): void {
    if (!this.#hasArrived && !this.#isFull && !this.settled) this.#call.clock.awaitBytes();
  }

  #startDecompressing(coding: string, chunk: Buffer): void {
    this.#contentCoding = undefined;
    const stream = createDecompressor(coding, chunk[0] as number);
    if (!stream) {
      const header = String(this.#headers['content-encoding']);
      this.#reader?.fail(unknownEncoding('Content-Encoding', header, this.#call.plan.context));
      return;
    }
    stream.on('data', (decompressed: Buffer) => this.#read(decompressed));
    stream.on('end', () => this.#finish(true));
    stream.on('error', (error: Error) => {
      this.#reader?.fail(`the body is not valid ${coding}: ${error.message}`);
      this.#finish(false);
    });
    this.#decompressor = stream;
  }

  #read(chunk: Buffer): void {
    const reader = this.#reader;
    if (this.settled || !reader) return;
    try {
      const isRead = reader.write(chunk);
      // A user's function that was given an unreadable record may have ended the call.
      if (this.settled) return;
      if (!isRead) return this.#finish(false);
      if (!this.#handOver(reader)) this.#pause();
    } catch (error) {
      // Our own bugs reject the call; thrown here they would end the process.
      this.#fail(error as Error);
    }
  }

  /** Hands the records that have been read to the consumer. False when the consumer asks for a pause. */
  #handOver(reader: ResponseReader): boolean {
    const { consumer } = this.#call;
    const records = consumer ? reader.takeItems() : [];
    return records.length === 0 || !consumer || consumer.push(records, () => this.#resume());
  }

  /** Reads no further, and stops the time limits. A closed client does not wait for a consumer. */
  #pause(): void {
    if (this.#isClosing) return this.onCancel();
    if (this.#decompressor) this.#decompressor.pause();
    else this.connection?.pause(true);
    this.#call.clock.pause();
  }

  #resume(): void {
    if (this.settled) return;
    this.#call.clock.resume();
    this.#awaitBytes();
    if (this.#decompressor) this.#decompressor.resume();
    else this.connection?.pause(false);
  }

  /** @param isWhole true when the body is known to have been read to its end */
  #finish(isWhole: boolean): void {
    const reader = this.#reader;
    if (this.settled || !reader) return;
    const { result } = this.#call.plan;
    let response: ResponseObject | undefined;
    try {
      try {
        response = reader.end(isWhole);
      } finally {
        if (!this.settled) this.#handOver(reader);
      }
      if (this.settled) return;
      if (this.#httpStatus !== 200) throw new ReadError('the HTTP status is not 200');
      const isMissing = response[result.name] === undefined && !result.optional;
      if (isMissing && this.#isSuccess(response)) {
        throw new ReadError(`${result.name} is missing`);
      }
      this.#succeed(response);
    } catch (error) {
      this.#fail(this.#errorOf(error, reader, response));
    }
  }

  #isSuccess(response: ResponseObject | undefined): boolean {
    return this.#settings.successStatuses.has(response?.status as number);
  }

  /**
   * Turns an error of the reader into the error that a user sees. Any other error is a bug of this package.
   *
   * @param response the response that was read all the same
   */
  #errorOf(error: unknown, reader: ResponseReader, response: ResponseObject | undefined): Error {
    const { context } = this.#call.plan;
    // A service that says in one response that the request failed and that it succeeded proves neither.
    const isContradiction = this.#isSuccess(error instanceof SoapFault ? error.response : response);
    const outcome = isContradiction ? ('unknown' as const) : undefined;
    const head = { httpStatus: this.#httpStatus, headers: this.#headers, outcome };
    if (error instanceof SoapFault) return new FaultError({ ...context, ...head, ...error.parts });
    if (!(error instanceof ReadError)) return error as Error;
    if (head.httpStatus !== 200) return new HttpError({ ...context, ...head, body: reader.beginning });
    return new ResponseError({ ...context, message: error.message, body: reader.beginning });
  }

  onClose(): void {
    this.#isClosing = true;
    if (this.#call.clock.isPaused) this.onCancel();
  }

  onCancel(): void {
    const message = 'the client was closed before the call ended';
    this.#fail(new ConnectionError({ ...this.#call.plan.context, outcome: this.#outcome, code: 'CLOSED', message }));
  }

  #succeed(response: ResponseObject): void {
    this.#release();
    // A compressed body may end before the body of HTTP does, and nothing says that this body ever ends.
    if (!this.#hasArrived) this.#controller?.abort(new Error('settled'));
    this.#settle(null, response);
  }

  #fail(error: Error): void {
    if (this.settled) return;
    this.#release();
    if (this.#controller) this.#controller.abort(error);
    else this.#pool.cancel(this);
    this.#settle(error);
  }

  #release(): void {
    this.#state = 'settled';
    this.#call.clock.endAttempt();
    if (this.#publishResponse && this.#reader) this.#publishResponse(this.#reader.beginning);
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
    if (this.#decompressor) {
      this.#decompressor.destroy();
      this.connection?.release();
    }
    // undici may keep the exchange, which must not keep the whole response.
    this.#reader = undefined;
    this.#decompressor = undefined;
  }
}
