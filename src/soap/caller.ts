import type { OperationName } from '../../generated/operations';
import type { MessagingV1Client } from '../../generated/v1';
import { ConnectionError, StatusError } from '../errors';
import type { Mask } from '../mask';
import { createMask } from '../mask';
import { resolveTimeout, type Settings } from '../options';
import type { MessagingRecord, MessagingResponse, MessagingResult, RecordOperation, StubResponse } from '../types';
import { CallFailure } from './call-failure';
import type { Call, RecordConsumer } from './exchange';
import type { ConnectionPool } from './http/pool';
import type { OperationPlan } from './plan';
import type { RecordStream } from './record-stream';
import { buildRequest } from './request';

/** Settings of one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Limit for the whole call, in milliseconds; 0 means none. Default: the client's. A stream's clock stops while it waits for its consumer. */
  readonly timeoutMs?: number | undefined;
}

/** The service as seen through one SOAP version: calls go in with a caller's fields, and come out as plain values or typed errors. */
export class Caller {
  readonly #settings: Settings;
  readonly #mask: Mask;
  readonly #plans = new Map<OperationName, OperationPlan>();
  #stub: MessagingV1Client | undefined;
  #pool: ConnectionPool | undefined;
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
    return this.#invoke(operation, fields, options, this.#checkStatus);
  }

  /** The records of the result as they arrive. */
  records<O extends RecordOperation>(
    operation: O,
    fields: object,
    options?: CallOptions,
  ): RecordStream<MessagingRecord<O>> {
    const { RecordStream: Stream } = require('./record-stream') as typeof import('./record-stream');
    return new Stream<MessagingRecord<O>>(
      (consumer, signal) => this.#invoke(operation, fields, { ...options, signal }, this.#checkStatus, consumer),
      options?.signal,
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#pool?.close() ?? Promise.resolve();
    return this.#closing;
  }

  async #invoke<O extends OperationName, T>(
    operation: O,
    fields: object,
    options: CallOptions | undefined,
    finish: (response: MessagingResponse<O>, plan: OperationPlan) => T,
    consumer?: RecordConsumer,
  ): Promise<T> {
    const plan = this.#plans.get(operation) ?? this.#plan(operation);
    const { context } = plan;
    if (this.#closing)
      throw new ConnectionError(context, 'not-sent', { code: 'CLOSED', message: 'the client is closed' });
    options?.signal?.throwIfAborted();
    const call: Call = {
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
    const request = buildRequest<O>(context, plan.request, fields);
    // TypeScript sees a union of ten methods here, and no request fits all of them.
    const stub = this.#connect() as unknown as Record<
      string,
      (request: object, call: Call) => Promise<[StubResponse<O>]>
    >;
    try {
      const [response] = await (stub[plan.method] as (typeof stub)[string])(request, call);
      return finish(plainResponse(plan, response), plan);
    } catch (error) {
      throw error instanceof CallFailure ? error.reason : error;
    }
  }

  /** The first call loads node-soap and the pool; creating a client does no work. */
  #connect(): MessagingV1Client {
    if (!this.#stub) {
      const { createStub, createPool } = require('./stub') as typeof import('./stub');
      this.#pool = createPool(this.#settings);
      this.#stub = createStub(this.#settings, this.#pool);
    }
    return this.#stub;
  }

  #plan(operation: OperationName): OperationPlan {
    const { planOperation } = require('./plan') as typeof import('./plan');
    const plan = planOperation(operation, this.#settings, this.#mask);
    this.#plans.set(operation, plan);
    return plan;
  }

  /** An answer of success without a result was refused as it was read (exchange.ts). */
  readonly #checkStatus = <O extends OperationName>(
    response: MessagingResponse<O>,
    { context }: OperationPlan,
  ): MessagingResult<O> => {
    if (!this.#settings.successStatuses.has(response.status)) throw new StatusError(context, response);
    return response.result as MessagingResult<O>;
  };
}

/** Lists as plain arrays, absent ones as empty, a missing statusmessage as ''. */
function plainResponse<O extends OperationName>(
  { result: { name, item } }: OperationPlan,
  response: StubResponse<O>,
): MessagingResponse<O> {
  const wrapped = (response as unknown as Readonly<Record<string, unknown>>)[name];
  const list = wrapped as Readonly<Record<string, unknown>> | undefined;
  const result = item === undefined ? wrapped : (list?.[item] ?? []);
  return { result, status: response.status, statusmessage: response.statusmessage ?? '' } as MessagingResponse<O>;
}
