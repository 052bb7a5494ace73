import type { Transform } from 'node:stream';
import { AbortError, ConnectionError, FaultError, HttpError, ResponseError, TimeoutError } from '../../errors';
import type { Call, CallLimits } from '../call/call';
import { wire } from '../call/channels';
import type { OperationPlan } from '../call/plan';
import { Timers } from '../call/time-limits';
import { type EnvelopeContent, type Fault, quoteLabel, ReadError, type ResponseObject } from '../response/answer';
import { ResponseBody } from '../response/response-body';
import { explainFailure, type SystemError } from './connection-failure';
import type { ConnectionPool, HttpController, HttpHandler, HttpHeaders } from './connection-pool';
import { ConnectTimeout } from './connector';
import { parseContentType } from './content-type';
import { contentCoding, decompressor } from './decompress';
import { WireLog } from './wire-publisher';

/** One request and its answer: it reads while bytes arrive, watches the time and the signal, and settles once. */
export class Exchange implements HttpHandler {
  settled = false;
  readonly #plan: OperationPlan;
  readonly #call: Call;
  readonly #limits: CallLimits;
  readonly #pool: ConnectionPool;
  readonly #settle: (error: Error | null, response?: ResponseObject) => void;
  /** Set once bytes of the request may have left. */
  #controller: HttpController | undefined;
  #httpStatus = 0;
  #headers: HttpHeaders = {};
  #body: ResponseBody | undefined;
  #encoding: string | undefined;
  #decompressor: Transform | undefined;
  /** Whether the decompressor takes no more bytes for now. */
  #full = false;
  /** Whether HTTP has delivered the whole body, though a part of it may still be compressed. */
  #arrived = false;
  /** Whether HTTP says where the body ends. Without, a body that ends with its connection may be cut off. */
  #delimited = false;
  #wire: WireLog | undefined;
  #timers: Timers | undefined;
  readonly #onAbort = (): void => this.#abort();

  constructor(
    plan: OperationPlan,
    call: Call,
    limits: CallLimits,
    pool: ConnectionPool,
    settle: (error: Error | null, response?: ResponseObject) => void,
  ) {
    this.#plan = plan;
    this.#call = call;
    this.#limits = limits;
    this.#pool = pool;
    this.#settle = settle;
  }

  /** @param headers names and values in turn */
  start(url: string, headers: string[], body: string | Buffer): void {
    const { signal, start, end, trace } = this.#call;
    const { idleTimeoutMs } = this.#limits;
    if (trace) trace.requestBytes = Buffer.byteLength(body);
    if (wire.hasSubscribers) this.#wire = new WireLog(this.#plan.context, url, headers, body);
    signal?.addEventListener('abort', this.#onAbort);
    this.#timers = new Timers({ start, end, idleTimeoutMs }, (limit, ms) => this.#expire(limit, ms));
    this.#pool.send(headers, body, this);
  }

  onRequestStart(controller: HttpController): void {
    if (this.settled) return controller.abort(new Error('settled'));
    const { start } = this.#call;
    if (start?.isOver) {
      this.#expire('start', start.withinMs);
      return controller.abort(new Error('late'));
    }
    this.#timers?.onRequestStart();
    this.#controller = controller;
    this.#wire?.publishRequest();
    this.#awaitBytes();
  }

  onResponseStart(_: HttpController, status: number, headers: HttpHeaders): void {
    this.#awaitBytes();
    // Information (RFC 9110, section 15.2): the answer is still to come. undici itself ends the connection at a 100 Continue.
    if (status < 200) return;
    this.#httpStatus = status;
    this.#headers = headers;
    if (this.#call.trace) this.#call.trace.httpStatus = status;
    const { 'content-type': contentType, 'content-encoding': contentEncoding } = headers;
    this.#delimited = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    const { parameters } = parseContentType(typeof contentType === 'object' ? contentType[0] : contentType);
    const charset = parameters.get('charset');
    this.#wire?.startAnswer(status, headers, charset);
    this.#body = new ResponseBody(this.#plan.reading, charset, this.#limits.maxResponseBytes);
    if (contentEncoding !== undefined) this.#encoding = contentCoding(String(contentEncoding));
  }

  onResponseData(controller: HttpController, chunk: Buffer): void {
    if (this.settled) return;
    const { trace } = this.#call;
    if (trace) trace.responseBytes = (trace.responseBytes ?? 0) + chunk.length;
    this.#awaitBytes();
    if (this.#encoding !== undefined) this.#startDecompressing(this.#encoding, chunk);
    const stream = this.#decompressor;
    if (!stream) return this.#read(chunk);
    if (stream.write(chunk)) return;
    this.#full = true;
    controller.pause();
    this.#timers?.stopAwaiting();
    stream.once('drain', () => {
      this.#full = false;
      this.#awaitBytes();
      controller.resume();
    });
  }

  onResponseEnd(): void {
    if (this.settled) return;
    this.#arrived = true;
    this.#timers?.stopAwaiting();
    if (this.#decompressor) this.#decompressor.end();
    else this.#finish(this.#delimited);
  }

  onResponseError(_: HttpController, error: SystemError): void {
    const { context } = this.#plan;
    if (error instanceof ConnectTimeout) {
      const { connectTimeoutMs: timeoutMs } = this.#limits;
      const phase = 'making the connection';
      return this.#fail(new TimeoutError({ ...context, outcome: this.#outcome, timeoutMs, phase }));
    }
    const closed = { code: 'ECONNRESET', message: 'the connection was closed' };
    const { code, message } = this.#pool.isClosed(this) ? closed : explainFailure(error);
    const what = this.#controller ? `the connection failed ${this.#phase}` : 'cannot connect';
    this.#fail(new ConnectionError({ ...context, outcome: this.#outcome, code, message: `${what}: ${message}` }));
  }

  get #outcome(): 'not-sent' | 'unknown' {
    return this.#controller ? 'unknown' : 'not-sent';
  }

  get #phase(): string {
    if (!this.#controller) return 'waiting for a connection';
    return this.#httpStatus === 0 ? 'waiting for the answer' : 'reading the answer';
  }

  #expire(limit: 'end' | 'start' | 'silence', withinMs: number): void {
    const { context } = this.#plan;
    const phase = {
      end: this.#phase,
      start: 'before the request began',
      silence: `of silence ${this.#phase}`,
    }[limit];
    this.#fail(new TimeoutError({ ...context, outcome: this.#outcome, timeoutMs: withinMs, phase }));
  }

  /** Starts the limit for the service's silence anew, unless no byte is asked for. */
  #awaitBytes(): void {
    if (!this.#arrived && !this.#full && !this.settled) this.#timers?.awaitBytes();
  }

  /** Makes the decompressor, once, from the first bytes of the body. */
  #startDecompressing(encoding: string, chunk: Buffer): void {
    this.#encoding = undefined;
    const stream = decompressor(encoding, chunk[0] as number);
    if (!stream) {
      this.#body?.fail(new ReadError((quote) => `the content encoding ${quoteLabel(encoding, quote)} is not known`));
      return;
    }
    stream.on('data', (decompressed: Buffer) => this.#read(decompressed));
    stream.on('end', () => this.#finish(true));
    stream.on('error', (error: Error) => {
      this.#body?.fail(new ReadError(`the body is not valid ${encoding}: ${error.message}`));
      this.#finish(false);
    });
    this.#decompressor = stream;
  }

  #read(chunk: Buffer): void {
    const body = this.#body;
    if (this.settled || !body) return;
    this.#wire?.addToAnswer(chunk);
    try {
      if (!body.write(chunk)) return this.#finish(false);
      this.#handOver(body);
    } catch (error) {
      // A defect of this package fails the call, and not the process whose event this is.
      this.#fail(error as Error);
    }
  }

  /** Gives the records read so far to the consumer. While it asks for a pause, no time limit runs. */
  #handOver(body: ResponseBody): void {
    const { consumer } = this.#call;
    if (!consumer) return;
    const records = body.takeItems();
    if (records.length === 0 || consumer.push(records, () => this.#resume())) return;
    this.#source?.pause();
    this.#timers?.pause();
  }

  #resume(): void {
    if (this.settled) return;
    this.#timers?.resume();
    this.#awaitBytes();
    this.#source?.resume();
  }

  get #source(): { pause(): unknown; resume(): unknown } | undefined {
    return this.#decompressor ?? this.#controller;
  }

  /** @param whole whether the body is known to have been read to its end */
  #finish(whole: boolean): void {
    const body = this.#body;
    if (this.settled || !body) return;
    if (whole) this.#wire?.publishAnswer(true);
    try {
      const content = body.end(whole);
      this.#handOver(body);
      if (!content) return this.#fail(this.#readFailure(body));
      const error = this.#errorOf(content, body);
      if (error) this.#fail(error);
      else this.#succeed((content as { response: ResponseObject }).response);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** The error that an envelope stands for, if any. */
  #errorOf(content: EnvelopeContent, body: ResponseBody): Error | undefined {
    const { context, result } = this.#plan;
    if ('fault' in content) return this.#faultError(content.fault);
    if (this.#httpStatus !== 200) return this.#readFailure(body);
    const { status, [result.name]: value } = content.response;
    if (value === undefined && !result.optional && this.#limits.successStatuses.has(status as number)) {
      return new ResponseError({ ...context, message: `${result.name} is missing`, body: body.start(context) });
    }
    return undefined;
  }

  #faultError({ cut, ...fault }: Fault): FaultError {
    const { context } = this.#plan;
    // A part whose end was cut off may end in half a key, which the mask does not find.
    const masked = cut && { [cut]: context.maskTruncated(fault[cut]) };
    return new FaultError({ ...context, ...fault, ...masked, httpStatus: this.#httpStatus, headers: this.#headers });
  }

  #readFailure(body: ResponseBody): Error {
    const { context } = this.#plan;
    const start = body.start(context);
    if (this.#httpStatus !== 200) {
      return new HttpError({ ...context, httpStatus: this.#httpStatus, headers: this.#headers, body: start });
    }
    return new ResponseError({
      ...context,
      message: (body.failure as ReadError).toMessage(context.mask),
      body: start,
    });
  }

  onCancel(): void {
    const message = 'the client was closed before the call ended';
    this.#fail(new ConnectionError({ ...this.#plan.context, outcome: this.#outcome, code: 'CLOSED', message }));
  }

  #abort(): void {
    this.#fail(new AbortError({ ...this.#plan.context, outcome: this.#outcome, cause: this.#call.signal?.reason }));
  }

  #succeed(response: ResponseObject): void {
    this.#release();
    // A compressed body may end before HTTP's does, and nothing says that this ever ends.
    if (!this.#arrived) this.#controller?.abort(new Error('settled'));
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
    this.settled = true;
    this.#timers?.clear();
    this.#wire?.publishAnswer(false);
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
    this.#decompressor?.destroy();
    // Whoever still holds the exchange must not hold the whole answer.
    this.#body = undefined;
    this.#decompressor = undefined;
  }
}
