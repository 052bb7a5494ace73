import { AbortError, ConnectionError, type ErrorContext, StatusError } from '../errors';
import { createMask, type Mask } from '../internal/mask';
import type { CallOptions } from '../options';
import type { Settings } from '../settings/client-options';
import { checkCallOptions, resolveCloseLimit } from '../settings/resolve';
import type {
  MessagingRecord,
  MessagingResponse,
  MessagingResult,
  OperationName,
  RecordOperation,
  StubRequest,
  StubResponse,
} from '../types';
import type { Call, RecordConsumer } from './call/call';
import { type CallTrace, traceCall } from './call/channels';
import type { OperationPlan } from './call/plan';
import { TimeLimit } from './call/time-limits';
import { nameCaller } from './caller-stack';
import type { Stub } from './node-soap/stub';
import { RecordStream } from './record-stream';
import { buildRequest } from './request/build-request';
import type { ResponseObject } from './response/answer';
import { withRetries } from './retry';

/** Calls operations: a caller's fields go in, plain values or typed errors come out. */
export class Caller {
  readonly #settings: Settings;
  readonly #mask: Mask;
  #stub: Stub | undefined;
  #closing: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#mask = createMask(settings.apiKey);
  }

  /** Result, status and statusmessage as they came. */
  call<O extends OperationName>(operation: O, fields: object, options?: CallOptions): Promise<MessagingResponse<O>> {
    return this.#run(operation, (trace) => this.#call(operation, fields, options, trace));
  }

  /** The plain result, once the status is one of success. */
  result<O extends OperationName>(
    operation: O,
    fields: object,
    options?: CallOptions,
    consumer?: RecordConsumer,
  ): Promise<MessagingResult<O>> {
    return this.#run(operation, async (trace) => {
      const response = await this.#call(operation, fields, options, trace, consumer);
      if (!this.#settings.successStatuses.has(response.status)) {
        throw new StatusError({ operation, ...this.#mask, ...response });
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
      () => {
        if (options) checkCallOptions(options, this.#settings.apiKey);
        return options?.signal;
      },
    );
  }

  /** @param options.withinMs after this time, in milliseconds, calls that are still under way are cancelled; undefined means never */
  async close(options: { readonly withinMs?: number | undefined }): Promise<void> {
    const limit = resolveCloseLimit(options, this.#settings.apiKey);
    this.#closed.abort();
    this.#closing ??= this.#stub?.close() ?? Promise.resolve();
    const timer = limit === undefined ? undefined : setTimeout(() => this.#stub?.cancelAll(), limit);
    try {
      await this.#closing;
    } finally {
      clearTimeout(timer);
    }
  }

  #run<T>(operation: OperationName, call: (trace: CallTrace | undefined) => Promise<T>): Promise<T> {
    return traceCall({ operation, mask: this.#mask.mask }, this.#settings, async (trace) => {
      try {
        return await call(trace);
      } catch (error) {
        nameCaller(error);
        throw error;
      }
    });
  }

  async #call<O extends OperationName>(
    operation: O,
    fields: object,
    options: CallOptions | undefined,
    trace: CallTrace | undefined,
    consumer?: RecordConsumer,
  ): Promise<MessagingResponse<O>> {
    if (options) checkCallOptions(options, this.#settings.apiKey);
    const plan = this.#connect().planOf(operation);
    const signal = options?.signal;
    this.#checkState(plan.context, signal);
    const call = this.#callOf(operation, options ?? {}, consumer, trace);
    const { retries } = this.#settings;
    // Each attempt writes the request anew.
    const request = buildRequest<O>(plan.context, plan.request, fields, retries > 0);
    if (retries === 0) return this.#invoke(operation, plan, request, call);
    return withRetries(
      () => {
        this.#checkState(plan.context, signal);
        return this.#invoke(operation, plan, request, call);
      },
      {
        retries,
        until: Math.min(call.end?.by ?? Infinity, call.start?.by ?? Infinity),
        signals: signal ? [signal, this.#closed.signal] : [this.#closed.signal],
      },
    );
  }

  async #invoke<O extends OperationName>(
    operation: O,
    plan: OperationPlan,
    request: StubRequest<O>,
    call: Call,
  ): Promise<MessagingResponse<O>> {
    const [response] = await this.#connect().methods[`${operation}Async`](request, call);
    if (call.trace) call.trace.status = response.status;
    return plainResponse(plan, response);
  }

  #callOf(
    operation: OperationName,
    { signal, timeoutMs, startWithinMs }: CallOptions,
    consumer: RecordConsumer | undefined,
    trace: CallTrace | undefined,
  ): Call {
    return {
      signal,
      end: timeLimit(timeoutMs ?? this.#settings.timeoutMs),
      start: timeLimit(startWithinMs ?? 0),
      consumer,
      trace,
      exchangeId: operation,
    };
  }

  /** The first call loads node-soap and the HTTP library, so that importing the package stays cheap. */
  #connect(): Stub {
    if (!this.#stub) {
      const { createStub } = require('./node-soap/stub') as typeof import('./node-soap/stub');
      this.#stub = createStub(this.#settings, this.#mask);
    }
    return this.#stub;
  }

  #checkState(context: ErrorContext, signal: AbortSignal | undefined): void {
    if (this.#closed.signal.aborted)
      throw new ConnectionError({ ...context, outcome: 'not-sent', code: 'CLOSED', message: 'the client is closed' });
    if (signal?.aborted) throw new AbortError({ ...context, outcome: 'not-sent', cause: signal.reason });
  }
}

/** @param ms 0 means no limit */
function timeLimit(ms: number): TimeLimit | undefined {
  return ms === 0 ? undefined : new TimeLimit(ms);
}

/** Lists as plain arrays, absent ones as empty, a missing statusmessage as ''. */
function plainResponse<O extends OperationName>(
  { result: { name, item } }: OperationPlan,
  response: StubResponse<O>,
): MessagingResponse<O> {
  const { status, statusmessage, [name]: value } = response as unknown as ResponseObject;
  const result = item === undefined ? value : ((value as ResponseObject | undefined)?.[item] ?? []);
  return { result, status, statusmessage: statusmessage ?? '' } as MessagingResponse<O>;
}
