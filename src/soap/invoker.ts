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
  StubRequest,
  StubResponse,
} from '../types';
import type { OperationPlan } from './call';
import { type Call, captureCallSite, Deadline, type RecordConsumer } from './call';
import { type CallTrace, isTraced, traceCall } from './channels';
import type { Transport } from './node-soap/transport';
import { RecordStream } from './record-stream';
import { buildRequest } from './request/write-request';
import type { ResponseObject } from './response/response-element';
import { withRetries } from './retry';

/** Invokes operations: it takes the fields of a request, and gives plain values or typed errors. */
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

  /** Gives result, status and statusmessage as the service sent them. */
  call<O extends OperationName>(operation: O, fields: object, options?: CallOptions): Promise<MessagingResponse<O>> {
    return this.#invoke(operation, fields, options, { checksStatus: false });
  }

  /** Gives the plain result, when the status is a success. */
  async result<O extends OperationName>(
    operation: O,
    fields: object,
    options?: CallOptions,
    consumer?: RecordConsumer,
  ): Promise<MessagingResult<O>> {
    const { result } = await this.#invoke(operation, fields, options, { checksStatus: true, consumer });
    // The exchange has refused a success without a result.
    return result as MessagingResult<O>;
  }

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

  /** @param options.withinMs the time after which calls under way are cancelled, in milliseconds; undefined means never */
  async close(options: { readonly withinMs?: number | undefined }): Promise<void> {
    const limit = resolveCloseLimit(options, this.#settings.apiKey);
    this.#closed.abort();
    this.#closing ??= this.#transport?.pool.close() ?? Promise.resolve();
    const timer = limit === undefined ? undefined : setTimeout(() => this.#transport?.pool.cancelAll(), limit);
    try {
      await this.#closing;
    } finally {
      clearTimeout(timer);
    }
  }

  async #invoke<O extends OperationName>(
    operation: O,
    fields: object,
    options: CallOptions | undefined,
    use: { readonly checksStatus: boolean; readonly consumer?: RecordConsumer | undefined },
    trace?: CallTrace,
  ): Promise<MessagingResponse<O>> {
    try {
      if (!trace && isTraced()) {
        const context = { operation, mask: this.#masker.mask };
        return await traceCall(context, this.#settings, (trace) =>
          this.#invoke(operation, fields, options, use, trace),
        );
      }
      if (options) checkCallOptions(options, this.#settings.apiKey);
      const transport = this.#connect();
      const plan = transport.planOf(operation);
      this.#checkState(plan.context, options?.signal);
      const { retries, successStatuses, timeoutMs, maxResponseBytes } = this.#settings;
      const call: Call = {
        plan,
        signal: options?.signal,
        deadline: deadlineIn(options?.timeoutMs ?? timeoutMs),
        startDeadline: deadlineIn(options?.startWithinMs ?? 0),
        maxResponseBytes: options?.maxResponseBytes ?? maxResponseBytes,
        consumer: use.consumer,
        trace,
        exchangeId: operation,
      };
      // Each attempt writes the request anew.
      const request = buildRequest<O>(plan.request, fields, { copyLists: retries > 0 });
      const [response] = await (retries > 0
        ? this.#invokeWithRetries(transport, operation, request, call)
        : transport.stub[`${operation}Async`](request, call));
      const plain = plainResponse(plan, response);
      if (trace) trace.status = plain.status;
      if (use.checksStatus && !successStatuses.has(plain.status)) {
        throw new StatusError({ ...plan.context, ...plain });
      }
      return plain;
    } catch (error) {
      captureCallSite(error);
      throw error;
    }
  }

  #invokeWithRetries<O extends OperationName>(
    { stub }: Transport,
    operation: O,
    request: StubRequest<O>,
    call: Call,
  ): Promise<readonly [response: StubResponse<O>, ...others: unknown[]]> {
    const { plan, signal, deadline, startDeadline } = call;
    return withRetries(
      () => {
        this.#checkState(plan.context, signal);
        return stub[`${operation}Async`](request, call);
      },
      {
        retries: this.#settings.retries,
        until: Math.min(deadline?.at ?? Infinity, startDeadline?.at ?? Infinity),
        signals: signal ? [signal, this.#closed.signal] : [this.#closed.signal],
      },
    );
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

/** @param ms the limit in milliseconds; 0 means none */
function deadlineIn(ms: number): Deadline | undefined {
  return ms === 0 ? undefined : new Deadline(ms);
}

/**
 * Makes the plain response of the stub's: a list becomes an array, an absent list an empty array, and a missing statusmessage ''. The
 * stub's types say what the operation table says, and a test compares each response that is read with the table.
 */
function plainResponse<O extends OperationName>(
  { result: element }: OperationPlan,
  response: StubResponse<O>,
): MessagingResponse<O> {
  const { status, statusmessage, [element.name]: value } = response as unknown as ResponseObject;
  const result = element.kind === 'list' ? ((value as ResponseObject | undefined)?.[element.item.name] ?? []) : value;
  return { result, status, statusmessage: statusmessage ?? '' } as MessagingResponse<O>;
}
