import { type Field, type OperationName, operations } from '../../generated/operations';
import type { MessagingV1Client } from '../../generated/v1';
import { ConnectionError, type ErrorContext, type Mask, RequestError, StatusError } from '../errors';
import { resolveTimeout, type Settings } from '../options';
import type { MessagingRecord, MessagingResponse, MessagingResult, RecordOperation, StubResponse } from '../types';
import { CallFailure } from './call-failure';
import type { Call, RecordConsumer } from './exchange';
import { createMask } from './mask';
import type { ReadingPlan } from './reading/reader';
import type { RecordStream } from './record-stream';
import { buildRequest } from './request';
import type { Transport } from './transport/transport';

/** Settings of one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Limit for the whole call, in milliseconds; 0 means none. Default: the client's. A stream's clock stops while it waits for its consumer. */
  readonly timeoutMs?: number | undefined;
}

interface Prepared {
  readonly context: ErrorContext;
  readonly plan: ReadingPlan;
}

/** The service as seen through one SOAP version: calls go in with a caller's fields, and come out as plain values or typed errors. */
export class Port {
  readonly #settings: Settings;
  readonly #mask: Mask;
  readonly #prepared = new Map<OperationName, Prepared>();
  #stub: MessagingV1Client | undefined;
  #transport: Transport | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#mask = createMask(settings.apiKey);
  }

  /** Result, status and statusmessage as they came. */
  call<O extends OperationName>(operation: O, fields: object, options?: CallOptions): Promise<MessagingResponse<O>> {
    return this.#invoke(operation, fields, options, (response) => response);
  }

  /** The plain result, once the status is one of success. */
  result<O extends OperationName>(operation: O, fields: object, options?: CallOptions): Promise<MessagingResult<O>> {
    return this.#invoke(operation, fields, options, (response, context) => this.#checkStatus(context, response));
  }

  /** The records of the result as they arrive. */
  records<O extends RecordOperation>(
    operation: O,
    fields: object,
    options?: CallOptions,
  ): RecordStream<MessagingRecord<O>> {
    const { RecordStream: Stream } = require('./record-stream') as typeof import('./record-stream');
    return new Stream<MessagingRecord<O>>(
      (consumer, signal) =>
        this.#invoke(
          operation,
          fields,
          { ...options, signal },
          (response, context) => this.#checkStatus(context, response),
          consumer,
        ),
      options?.signal,
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#transport?.close() ?? Promise.resolve();
    return this.#closing;
  }

  async #invoke<O extends OperationName, T>(
    operation: O,
    fields: object,
    options: CallOptions | undefined,
    finish: (response: MessagingResponse<O>, context: ErrorContext) => T,
    consumer?: RecordConsumer,
  ): Promise<T> {
    const { context, plan } = this.#prepared.get(operation) ?? this.#prepare(operation);
    if (this.#closing)
      throw new ConnectionError(context, 'not-sent', { code: 'CLOSED', message: 'the client is closed' });
    options?.signal?.throwIfAborted();
    const call: Call = {
      context,
      plan,
      signal: options?.signal,
      timeoutMs:
        options?.timeoutMs === undefined
          ? this.#settings.timeoutMs
          : resolveTimeout(options.timeoutMs, this.#settings.apiKey),
      limits: this.#settings,
      consumer,
      exchangeId: operation,
    };
    const request = buildRequest(context, operation, fields, this.#settings);
    const method = `${operation}Async` as const;
    // TypeScript sees a union of ten methods here, and no request fits all of them.
    const stub = this.#connect() as unknown as Record<
      string,
      (request: object, call: Call) => Promise<[StubResponse<O>]>
    >;
    try {
      const [response] = await (stub[method] as (typeof stub)[string])(request, call);
      return finish(plainResponse(operation, response), context);
    } catch (error) {
      throw error instanceof CallFailure ? error.reason : error;
    }
  }

  /** The first call loads node-soap and the transport; creating a client does no work. */
  #connect(): MessagingV1Client {
    if (!this.#stub) {
      const { createStub, createTransport } = require('./stub') as typeof import('./stub');
      this.#transport = createTransport(this.#settings);
      this.#stub = createStub(this.#settings, this.#transport);
    }
    return this.#stub;
  }

  /** What every call of an operation needs, made once. */
  #prepare(operation: OperationName): Prepared {
    const context: ErrorContext = { operation, ...this.#mask };
    if (!Object.hasOwn(operations, operation)) {
      const names = Object.keys(operations).join(', ');
      throw new RequestError(context, undefined, `unknown operation (operations: ${names})`);
    }
    const { readingPlan } = require('./reading/reader') as typeof import('./reading/reader');
    const prepared = { context, plan: readingPlan(this.#settings.namespace, operation) };
    this.#prepared.set(operation, prepared);
    return prepared;
  }

  #checkStatus<O extends OperationName>(context: ErrorContext, response: MessagingResponse<O>): MessagingResult<O> {
    if (!this.#settings.successStatuses.has(response.status)) throw new StatusError(context, response);
    // An answer of success without a result was refused as it was read (exchange.ts).
    return response.result as MessagingResult<O>;
  }
}

/** Lists as plain arrays, absent ones as empty, a missing statusmessage as ''. */
function plainResponse<O extends OperationName>(operation: O, response: StubResponse<O>): MessagingResponse<O> {
  const field: Field = operations[operation].response[0];
  const wrapped = (response as unknown as Readonly<Record<string, unknown>>)[field.name];
  const list = wrapped as Readonly<Record<string, unknown>> | undefined;
  const result = field.item === undefined ? wrapped : (list?.[field.item] ?? []);
  return { result, status: response.status, statusmessage: response.statusmessage ?? '' } as MessagingResponse<O>;
}
