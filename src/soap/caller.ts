import { AbortError, ConnectionError, type ErrorContext, StatusError } from '../errors';
import { createMask, type Mask } from '../mask';
import { type CallOptions, resolveLimit, type Settings } from '../options';
import type {
  MessagingRecord,
  MessagingResponse,
  MessagingResult,
  OperationName,
  RecordOperation,
  StubResponse,
} from '../types';
import { nameCaller } from './caller-stack';
import type { Call, RecordConsumer } from './exchange';
import type { OperationPlan } from './plan';
import { RecordStream } from './record-stream';
import { buildRequest } from './request';
import type { ResponseObject } from './response/answer';
import type { Stub } from './stub';

/** Calls operations: a caller's fields go in, plain values or typed errors come out. */
export class Caller {
  readonly #settings: Settings;
  readonly #mask: Mask;
  #stub: Stub | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#mask = createMask(settings.apiKey);
  }

  /** Result, status and statusmessage as they came. */
  call<O extends OperationName>(operation: O, fields: object, options?: CallOptions): Promise<MessagingResponse<O>> {
    return this.#run(() => this.#call(operation, fields, options));
  }

  /** The plain result, once the status is one of success. */
  result<O extends OperationName>(
    operation: O,
    fields: object,
    options?: CallOptions,
    consumer?: RecordConsumer,
  ): Promise<MessagingResult<O>> {
    return this.#run(async () => {
      const response = await this.#call(operation, fields, options, consumer);
      if (!this.#settings.successStatuses.has(response.status)) {
        throw new StatusError({ operation, ...this.#mask }, response);
      }
      // A success without a result was refused when it was read (exchange.ts).
      return response.result as MessagingResult<O>;
    });
  }

  /** The records of the result as they arrive. */
  records<O extends RecordOperation>(
    operation: O,
    fields: object,
    options?: CallOptions,
  ): RecordStream<MessagingRecord<O>> {
    return new RecordStream<MessagingRecord<O>>(
      (consumer, signal) => this.result(operation, fields, { ...options, signal }, consumer),
      options?.signal,
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#stub?.close() ?? Promise.resolve();
    return this.#closing;
  }

  async #run<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      nameCaller(error);
      throw error;
    }
  }

  async #call<O extends OperationName>(
    operation: O,
    fields: object,
    options?: CallOptions,
    consumer?: RecordConsumer,
  ): Promise<MessagingResponse<O>> {
    const { methods, planOf } = this.#connect();
    const plan = planOf(operation);
    this.#checkState(plan.context, options?.signal);
    const request = buildRequest<O>(plan.context, plan.request, fields);
    const call: Call = {
      signal: options?.signal,
      timeoutMs: this.#timeoutOf(options),
      consumer,
      exchangeId: operation,
    };
    const [response] = await methods[`${operation}Async`](request, call);
    return plainResponse(plan, response);
  }

  /** The first call loads node-soap and the HTTP library, so that importing the package stays cheap. */
  #connect(): Stub {
    if (!this.#stub) {
      const { createStub } = require('./stub') as typeof import('./stub');
      this.#stub = createStub(this.#settings, this.#mask);
    }
    return this.#stub;
  }

  #checkState(context: ErrorContext, signal: AbortSignal | undefined): void {
    if (this.#closing)
      throw new ConnectionError(context, 'not-sent', { code: 'CLOSED', message: 'the client is closed' });
    if (signal?.aborted) throw new AbortError(context, 'not-sent', signal.reason);
  }

  #timeoutOf(options: CallOptions | undefined): number {
    const { timeoutMs, apiKey } = this.#settings;
    return options?.timeoutMs === undefined ? timeoutMs : resolveLimit('timeoutMs', options.timeoutMs, apiKey);
  }
}

/** Lists as plain arrays, absent ones as empty, a missing statusmessage as ''. */
function plainResponse<O extends OperationName>(
  { result: { name, item } }: OperationPlan,
  response: StubResponse<O>,
): MessagingResponse<O> {
  const { status, statusmessage, [name]: value } = response as unknown as ResponseObject;
  const result = item === undefined ? value : ((value as Record<string, unknown> | undefined)?.[item] ?? []);
  return { result, status, statusmessage: statusmessage ?? '' } as MessagingResponse<O>;
}
