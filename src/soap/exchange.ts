import type { Transform } from 'node:stream';
import { ConnectionError, FaultError, HttpError, ResponseError, TimeoutError } from '../errors';
import type { Alarm, Clock } from './clock';
import { decompressor } from './http/decompress';
import type { ConnectionPool } from './http/pool';
import type { Failure, Handle, HttpRequest, ResponseHead, Sink } from './http/transport';
import type { OperationPlan } from './plan';
import { type EnvelopeContent, quoteLabel, ReadError, type ResponseObject } from './response/answer';
import { encodingOf, ResponseReader } from './response/response-reader';

/** One call on its way through node-soap, which hands it from the stub to the WSDL and to the HTTP client as its options. */
export interface Call {
  readonly plan: OperationPlan;
  readonly signal: AbortSignal | undefined;
  /** In milliseconds; 0 means none. */
  readonly timeoutMs: number;
  readonly limits: CallLimits;
  /** Takes the records of the result as they arrive, in place of the result's list. */
  readonly consumer: RecordConsumer | undefined;
  /** node-soap makes a random one where there is none. */
  readonly exchangeId: string;
}

export interface CallLimits {
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly successStatuses: ReadonlySet<number>;
}

export interface RecordConsumer {
  /** Takes records; false asks for a pause, which ends when `resume` is called. */
  push(records: unknown[], resume: () => void): boolean;
}

/** How much of a body is kept for an error message, in bytes: more than its 1,000 characters, for the mask to work on. */
const KEPT_BYTES = 16_384;

/** One request and its answer: it reads while bytes arrive, watches the clock and the signal, and settles once. */
export class Exchange implements Sink {
  readonly #call: Call;
  readonly #clock: Clock;
  readonly #settle: (error: unknown, response?: ResponseObject) => void;
  #handle: Handle | undefined;
  #settled = false;
  #sent = false;
  #status = 0;
  #charset: string | undefined;
  #encoding: string | undefined;
  #reader: ResponseReader | undefined;
  #readError: ReadError | undefined;
  #decompressor: Transform | undefined;
  /** Whether the decompressor takes no more bytes for now. */
  #full = false;
  #received = 0;
  #kept: Buffer[] = [];
  #deadline: Alarm | undefined;
  /** What is left of the time while the clock stands still. */
  #timeLeft = 0;
  #silence: Alarm | undefined;
  /** Whether the whole body is here, though a part of it may still be compressed. */
  #arrived = false;
  #onAbort: (() => void) | undefined;

  constructor(call: Call, clock: Clock, settle: (error: unknown, response?: ResponseObject) => void) {
    this.#call = call;
    this.#clock = clock;
    this.#settle = settle;
  }

  start(pool: ConnectionPool, request: HttpRequest): void {
    const { signal, timeoutMs } = this.#call;
    if (signal) {
      this.#onAbort = () => this.#fail(signal.reason);
      signal.addEventListener('abort', this.#onAbort);
    }
    if (timeoutMs > 0) this.#startClock(timeoutMs);
    this.#handle = pool.send(request, this);
  }

  onSent(): void {
    this.#sent = true;
    this.#awaitBytes();
  }

  onHeaders({ status, contentType, contentEncoding }: ResponseHead): void {
    this.#awaitBytes();
    this.#status = status;
    this.#charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
    this.#reader = new ResponseReader(this.#call.plan.reading, this.#charset);
    if (contentEncoding !== '' && contentEncoding !== 'identity') this.#encoding = contentEncoding;
  }

  onData(chunk: Buffer): void {
    // A compressed body may end before HTTP's does.
    if (this.#settled) return;
    this.#awaitBytes();
    if (this.#encoding !== undefined && this.#received === 0)
      this.#decompressor ??= this.#decompress(this.#encoding, chunk);
    const stream = this.#decompressor;
    if (!stream) return this.#read(chunk);
    if (!stream.write(chunk)) {
      this.#full = true;
      this.#handle?.pause();
      this.#silence?.stop();
      stream.once('drain', () => {
        this.#full = false;
        this.#awaitBytes();
        this.#handle?.resume();
      });
    }
  }

  onEnd(): void {
    if (this.#settled) return;
    this.#arrived = true;
    this.#silence?.stop();
    if (this.#decompressor) this.#decompressor.end();
    else this.#finish();
  }

  onFailure(failure: Failure): void {
    const {
      plan: { context },
      limits,
    } = this.#call;
    const outcome = this.#sent ? 'unknown' : 'not-sent';
    switch (failure.kind) {
      case 'connect-timeout':
        return this.#fail(new TimeoutError(context, outcome, limits.connectTimeoutMs, 'making the connection'));
      case 'connection': {
        const message = this.#sent
          ? `the connection failed ${this.#phase()}: ${failure.message}`
          : `cannot connect: ${failure.message}`;
        return this.#fail(new ConnectionError(context, outcome, { code: failure.code, message }));
      }
    }
  }

  #phase(): string {
    if (!this.#sent) return 'waiting for a connection';
    return this.#status === 0 ? 'waiting for the answer' : 'reading the answer';
  }

  #startClock(delay: number): void {
    this.#deadline = this.#clock.set(delay, () => {
      const outcome = this.#sent ? 'unknown' : 'not-sent';
      this.#fail(new TimeoutError(this.#call.plan.context, outcome, this.#call.timeoutMs, this.#phase()));
    });
  }

  /** Starts the clock for the service's silence anew, unless no byte is asked for. */
  #awaitBytes(): void {
    const { limits, plan } = this.#call;
    if (limits.idleTimeoutMs === 0 || this.#arrived || this.#full || this.#settled) return;
    this.#silence?.stop();
    const silence = this.#clock.set(limits.idleTimeoutMs, () => {
      // A process that was busy has yet to read what came in the meantime, which it does before the next setImmediate.
      setImmediate(() => {
        if (this.#silence !== silence || this.#arrived) return;
        const phase = `of silence ${this.#phase()}`;
        this.#fail(new TimeoutError(plan.context, 'unknown', limits.idleTimeoutMs, phase));
      });
    });
    this.#silence = silence;
  }

  #decompress(encoding: string, chunk: Buffer): Transform | undefined {
    const stream = decompressor(encoding, chunk[0] as number);
    if (!stream) {
      this.#readError = new ReadError((quote) => `the content encoding ${quoteLabel(encoding, quote)} is not known`);
      return undefined;
    }
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
    stream.on('end', () => this.#finish());
    stream.on('error', (error: Error) => {
      this.#readError ??= new ReadError(`the body is not valid ${encoding}: ${error.message}`);
      this.#finish();
    });
    return stream;
  }

  #read(chunk: Buffer): void {
    if (this.#settled) return;
    this.#keep(chunk);
    this.#received += chunk.length;
    const { maxResponseBytes } = this.#call.limits;
    if (this.#received > maxResponseBytes) {
      this.#readError ??= new ReadError(`the body is larger than maxResponseBytes (${maxResponseBytes})`);
      return this.#finish();
    }
    if (this.#readError) {
      // Nothing more to read; what is still wanted is the start of the body for the error.
      if (this.#received >= KEPT_BYTES) this.#finish();
      return;
    }
    try {
      this.#reader?.write(chunk);
    } catch (error) {
      this.#noteReadError(error);
      return;
    }
    this.#handOver();
  }

  /** Gives the records read so far to the consumer; while it asks for a pause the clock stands still. */
  #handOver(): void {
    const { consumer } = this.#call;
    if (!consumer) return;
    const records = this.#reader?.takeItems() ?? [];
    if (records.length === 0 || consumer.push(records, () => this.#resume())) return;
    this.#source.pause();
    this.#silence?.stop();
    if (this.#deadline) {
      this.#deadline.stop();
      this.#timeLeft = this.#deadline.time - performance.now();
    }
  }

  #resume(): void {
    if (this.#settled) return;
    if (this.#deadline) this.#startClock(Math.max(this.#timeLeft, 1));
    this.#awaitBytes();
    this.#source.resume();
  }

  get #source(): { pause(): void; resume(): void } {
    return this.#decompressor ?? (this.#handle as Handle);
  }

  #finish(): void {
    if (this.#settled) return;
    const answer = this.#readEnd();
    if (this.#settled) return;
    this.#handOver();
    const error = answer ? this.#errorOf(answer) : this.#readFailure();
    if (error) this.#fail(error);
    else this.#succeed((answer as { response: ResponseObject }).response);
  }

  #readEnd(): EnvelopeContent | undefined {
    if (this.#readError) return undefined;
    try {
      return this.#reader?.end();
    } catch (error) {
      this.#noteReadError(error);
      return undefined;
    }
  }

  /** Anything but a ReadError is a defect of ours: it fails the call, and not the process, whose event this is. */
  #noteReadError(error: unknown): void {
    if (error instanceof ReadError) this.#readError = error;
    else this.#fail(error);
  }

  /** The error that an envelope stands for, if any. */
  #errorOf(answer: EnvelopeContent): Error | undefined {
    const {
      plan: { context, result },
      limits,
    } = this.#call;
    if ('fault' in answer) return new FaultError(context, { ...answer.fault, httpStatus: this.#status });
    if (this.#status !== 200) return this.#readFailure();
    if (
      answer.response[result.name] === undefined &&
      result.item === undefined &&
      limits.successStatuses.has(answer.response.status as number)
    ) {
      return new ResponseError(context, `${result.name} is missing`, this.#keptBody());
    }
    return undefined;
  }

  #readFailure(): Error {
    const { context } = this.#call.plan;
    if (this.#status !== 200) return new HttpError(context, { httpStatus: this.#status, body: this.#keptBody() });
    return new ResponseError(context, (this.#readError as ReadError).toMessage(context.mask), this.#keptBody());
  }

  #keep(chunk: Buffer): void {
    if (this.#received < KEPT_BYTES) this.#kept.push(chunk);
  }

  /** The start of the body for an error, in the encoding that the reader used. */
  #keptBody(): string {
    const bytes = Buffer.concat(this.#kept).subarray(0, KEPT_BYTES);
    const text = decode(bytes, encodingOf(bytes, this.#charset));
    // The end of what was kept may be half a key, which no mask would know.
    return this.#received > bytes.length ? this.#call.plan.context.maskCut(text) : text;
  }

  #succeed(response: ResponseObject): void {
    this.#release();
    this.#handle?.resume();
    this.#settle(null, response);
  }

  #fail(error: unknown): void {
    if (this.#settled) return;
    this.#release();
    this.#handle?.abort();
    this.#settle(error);
  }

  #release(): void {
    this.#settled = true;
    this.#deadline?.stop();
    this.#silence?.stop();
    if (this.#onAbort) this.#call.signal?.removeEventListener('abort', this.#onAbort);
    this.#decompressor?.destroy();
  }
}

function decode(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    // An unknown encoding: the reader has said so, and what is ASCII can be shown.
    return bytes.toString('latin1');
  }
}
