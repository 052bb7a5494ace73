import { type OperationName, operations } from '../../generated/operations';
import type { MessagingV1Client } from '../../generated/v1';
import { ConfigurationError, ConnectionError, type ErrorContext, RequestError, StatusError } from '../errors';
import type { Settings } from '../options';
import type { MessagingRecord, MessagingResponse, MessagingResult, RecordOperation, StubResponse } from '../types';
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

/** The service as seen through one SOAP version: calls go in with a caller's fields, and come out as plain values or typed errors. */
export class Port {
  readonly #settings: Settings;
  readonly #mask: (text: string) => string;
  readonly #plans = new Map<OperationName, ReadingPlan>();
  #connection: { readonly stub: MessagingV1Client; readonly transport: Transport } | undefined;
  #closed = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#mask = createMask(settings.apiKey);
  }

  /** Result, status and statusmessage as they came. */
  async call<O extends OperationName>(
    operation: O,
    fields: object,
    options?: CallOptions,
  ): Promise<MessagingResponse<O>> {
    return plainResponse(operation, await this.#invoke(operation, fields, options));
  }

  /** The plain result, once the status is one of success. */
  async result<O extends OperationName>(
    operation: O,
    fields: object,
    options?: CallOptions,
  ): Promise<MessagingResult<O>> {
    const response = plainResponse(operation, await this.#invoke(operation, fields, options));
    this.#checkStatus(operation, response);
    return response.result as MessagingResult<O>;
  }

  /** The records of the result as they arrive. */
  records<O extends RecordOperation>(
    operation: O,
    fields: object,
    options?: CallOptions,
  ): RecordStream<MessagingRecord<O>> {
    const { RecordStream: Stream } = require('./record-stream') as typeof import('./record-stream');
    return new Stream<MessagingRecord<O>>(async (consumer, signal) => {
      const response = plainResponse(
        operation,
        await this.#invoke(operation, fields, { ...options, signal }, consumer),
      );
      this.#checkStatus(operation, response);
    }, options?.signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connection?.transport.close();
  }

  async #invoke<O extends OperationName>(
    operation: O,
    fields: object,
    options: CallOptions = {},
    consumer?: RecordConsumer,
  ): Promise<StubResponse<O>> {
    const context: ErrorContext = { operation, mask: this.#mask };
    if (!Object.hasOwn(operations, operation)) {
      throw new RequestError(
        context,
        undefined,
        `unknown operation (operations: ${Object.keys(operations).join(', ')})`,
      );
    }
    if (this.#closed)
      throw new ConnectionError(context, 'not-sent', { code: 'CLOSED', message: 'the client is closed' });
    options.signal?.throwIfAborted();
    const request = buildRequest(context, operation, fields, this.#settings);
    const { stub } = this.#connect();
    const call: Call = {
      context,
      plan: this.#planOf(operation),
      signal: options.signal,
      timeoutMs: readTimeout(options.timeoutMs) ?? this.#settings.timeoutMs,
      limits: this.#settings,
      consumer,
      exchangeId: operation,
    };
    const method = `${operation}Async` as const;
    // TypeScript sees a union of ten methods here, and no request fits all of them.
    const invoke = stub[method] as unknown as (request: object, call: Call) => Promise<[StubResponse<O>]>;
    const [response] = await invoke(request, call);
    return response;
  }

  /** The first call loads node-soap and the transport; creating a client does no work. */
  #connect(): { readonly stub: MessagingV1Client; readonly transport: Transport } {
    if (!this.#connection) {
      const { createStub, createTransport } = require('./stub') as typeof import('./stub');
      const transport = createTransport(this.#settings);
      this.#connection = { stub: createStub(this.#settings, transport), transport };
    }
    return this.#connection;
  }

  #planOf(operation: OperationName): ReadingPlan {
    let plan = this.#plans.get(operation);
    if (!plan) {
      const { readingPlan } = require('./reading/reader') as typeof import('./reading/reader');
      plan = readingPlan(this.#settings.namespace, operation);
      this.#plans.set(operation, plan);
    }
    return plan;
  }

  #checkStatus<O extends OperationName>(operation: O, response: MessagingResponse<O>): void {
    if (this.#settings.successStatuses.has(response.status)) return;
    throw new StatusError({ operation, mask: this.#mask }, response);
  }
}

function readTimeout(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined || (Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs < 2 ** 31))
    return timeoutMs;
  throw new ConfigurationError(`timeoutMs: ${String(timeoutMs)} is not a whole number from 0 to ${2 ** 31 - 1}`);
}

/** Lists as plain arrays, absent ones as empty, a missing statusmessage as ''. */
function plainResponse<O extends OperationName>(operation: O, response: StubResponse<O>): MessagingResponse<O> {
  const { status, statusmessage = '', ...rest } = response;
  const [field] = operations[operation].response;
  const result = (rest as Record<string, unknown>)[field.name];
  const { item } = field as { item?: string };
  const plain = item === undefined ? result : ((result as Record<string, unknown> | undefined)?.[item] ?? []);
  return { result: plain, status, statusmessage } as MessagingResponse<O>;
}
