import { AbortError, ConnectionError, type ErrorContext, StatusError } from '../errors';
import { createMasker, type Masker } from '../internal/mask';
import type { CallOptions } from '../options/call';
import { checkCallOptions, resolveCloseLimit } from '../options/call';
import type { Settings } from '../options/client';
import type {
  MessagingRecord,
  MessagingResponse,
  MessagingResult,
  OperationName,
  RecordOperation,
  StubResponse,
} from '../types';
import { type Call, captureCallSite, type OperationPlan, type RecordConsumer } from './call';
import { type CallTrace, isTraced, traceCall } from './channels';
import { CallClock } from './clock';
import type { Transport } from './node-soap/transport';
import { RecordStream } from './record-stream';
import { buildRequest } from './request/write-request';
import type { ResponseObject } from './response/response-element';
import { withRetries } from './retry';

/** What an invocation is for. */
interface Use {
  /** True to resolve with the plain result when the status is a success; false to resolve with the whole response. */
  readonly checksStatus: boolean;
  readonly consumer?: RecordConsumer | undefined;
}

/** Invokes operations: takes the fields of a request, and resolves with plain values or rejects with typed errors. */
export class Invoker {
  readonly #settings: Settings;
  readonly #masker: Masker;
  #transport: Transport | undefined;
  #closing: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#masker = createMasker(settings.apiKey);
  }

  /** Resolves with result, status and statusmessage as the service sent them. */
  call<O extends OperationName>(operation: O, fields: object, options?: CallOptions): Promise<MessagingResponse<O>> {
    return this.#invoke(operation, fields, options, { checksStatus: false });
  }

  /** Resolves with the plain result, when the status is a success. */
  result<O extends OperationName>(operation: O, fields: object, options?: CallOptions): Promise<MessagingResult<O>> {
    return this.#invoke(operation, fields, options, { checksStatus: true });
  }

  /** Returns the records of the result as a stream, which begins the call. */
  records<O extends RecordOperation>(
    operation: O,
    fields: object,
    options?: CallOptions,
  ): RecordStream<MessagingRecord<O>> {
    return new RecordStream(
      (consumer, signal) => this.#invoke(operation, fields, { ...options, signal }, { checksStatus: true, consumer }),
      () => {
        if (options) checkCallOptions(options, this.#masker);
        return options?.signal;
      },
      { operation, ...this.#masker },
    );
  }

  /** @param options.withinMs the time in milliseconds after which calls under way are cancelled. Default: never */
  async close(options: { readonly withinMs?: number | undefined }): Promise<void> {
    const limit = resolveCloseLimit(options, this.#masker);
    this.#closed.abort();
    this.#closing ??= this.#transport?.pool.close() ?? Promise.resolve();
    const timer = limit === undefined ? undefined : setTimeout(() => this.#transport?.pool.cancelAll(), limit);
    try {
      await this.#closing;
    } finally {
      clearTimeout(timer);
    }
  }

  async #invoke<O extends OperationName, T>(
    operation: O,
    fields: object,
    options: CallOptions | undefined,
    use: Use,
  ): Promise<T> {
    try {
      if (!isTraced()) return await this.#run(operation, fields, options, use);
      const context = { operation, mask: this.#masker.mask };
      return await traceCall(context, this.#settings, (trace) => this.#run(operation, fields, options, use, trace));
    } catch (error) {
      captureCallSite(error);
      throw error;
    }
  }

  async #run<O extends OperationName, T>(
    operation: O,
    fields: object,
    options: CallOptions | undefined,
    { checksStatus, consumer }: Use,
    trace?: CallTrace,
  ): Promise<T> {
    if (options) checkCallOptions(options, this.#masker);
    const { retries, successStatuses, timeoutMs, maxResponseBytes, idleTimeoutMs } = this.#settings;
    // The limits include the time that loading the libraries takes.
    const clock = new CallClock({
      call: options?.timeoutMs ?? timeoutMs,
      start: options?.startWithinMs ?? 0,
      silence: idleTimeoutMs,
    });
    const { stub, planOf } = this.#connect();
    const plan = planOf(operation);
    const signal = options?.signal;
    const call: Call = {
      plan,
      signal,
      clock,
      maxResponseBytes: options?.maxResponseBytes ?? maxResponseBytes,
      consumer,
      trace,
      exchangeId: operation,
    };
    // Each attempt writes the request anew.
    const request = buildRequest<O>(plan.request, fields, { copyLists: retries > 0 });
    const attempt = () => {
      this.#checkState(plan.context, signal);
      return stub[`${operation}Async`](request, call);
    };
    const [response] = await (retries > 0
      ? withRetries(attempt, { retries, until: clock.lastStart, signals: [signal, this.#closed.signal] })
      : attempt());
    const plain = plainResponse(plan, response);
    if (trace) trace.status = plain.status;
    if (!checksStatus) return plain as T;
    if (!successStatuses.has(plain.status)) throw new StatusError({ ...plan.context, ...plain });
    // The exchange has refused a success without a result.
    return plain.result as T;
  }

  /** The first call loads node-soap and the HTTP library, so that importing the package stays cheap. */
  #connect(): Transport {
    if (!this.#transport) {
      const { createTransport } = require('./node-soap/transport') as typeof import('./node-soap/transport');
      this.#transport = createTransport(this.#settings, this.#masker);
    }
    return this.#transport;
  }

  #checkState(context: ErrorContext, signal: AbortSignal | undefined): void {
    if (this.#closed.signal.aborted)
      throw new ConnectionError({ ...context, outcome: 'not-sent', code: 'CLOSED', message: 'the client is closed' });
    if (signal?.aborted) throw new AbortError({ ...context, outcome: 'not-sent', cause: signal.reason });
  }
}

/**
 * Makes the plain response of the stub's: a list becomes an array, an absent list an empty array, and a missing
 * statusmessage ''. The stub's types say what the operation table says, and a test compares each response that is read
 * with the table.
 */
function plainResponse<O extends OperationName>(
  { result: element }: OperationPlan,
  response: StubResponse<O>,
): MessagingResponse<O> {
  const { status, statusmessage, [element.name]: value } = response as unknown as ResponseObject;
  const result = element.kind === 'list' ? ((value as ResponseObject | undefined)?.[element.item.name] ?? []) : value;
  return { result, status, statusmessage: statusmessage ?? '' } as MessagingResponse<O>;
}
