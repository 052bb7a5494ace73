import { AbortError, ConnectionError, StatusError } from '../errors';
import { createMasker, type Masker } from '../internal/mask';
import { checkOptions } from '../options/table';
import type { Element, ResponseObject } from '../soap/element';
import type { MessagingRecord, MessagingResponse, MessagingResult, OperationName, RecordOperation } from '../types';
import { type Call, captureCallSite, type RecordConsumer } from './call';
import { traceCall } from './channels';
import { CallClock } from './clock';
import type { Transport } from './node-soap/transport';
import { type CallOptions, callOptions, closeOptions } from './options/call';
import type { Settings } from './options/client';
import { type OperationPlan, planOperation } from './plan';
import { streamRecords } from './record-stream';
import { buildRequest } from './request/write-request';
import { withRetries } from './retry';

/** Invokes operations: takes the fields of a request, and resolves with plain values or rejects with typed errors. */
export class Invoker {
  readonly #settings: Settings;
  readonly #masker: Masker;
  readonly #plans = new Map<OperationName, OperationPlan>();
  #transport: Transport | undefined;
  #closing: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#masker = createMasker(settings.apiKey);
  }

  /** Resolves with the plain result of a success, or with any response when `checksStatus` is false. */
  async invoke<O extends OperationName, Checks extends boolean = true>(
    operation: O,
    fields: object,
    options?: CallOptions,
    use?: { readonly checksStatus: Checks; readonly consumer?: RecordConsumer },
  ): Promise<Checks extends true ? MessagingResult<O> : MessagingResponse<O>> {
    const settings = this.#settings;
    try {
      return await traceCall(operation, settings, this.#masker, async (trace) => {
        if (options) checkOptions(callOptions, options, this.#masker);
        // The limits include the time that loading the libraries takes.
        const clock = new CallClock({
          call: options?.timeoutMs ?? settings.timeoutMs,
          start: options?.startWithinMs ?? 0,
          silence: settings.idleTimeoutMs,
        });
        const transport = this.#connect();
        const plan = this.#planOf(operation);
        const call: Call = {
          plan,
          signal: options?.signal,
          clock,
          maxResponseBytes: options?.maxResponseBytes ?? settings.maxResponseBytes,
          consumer: use?.consumer,
          trace,
        };
        const { retries } = settings;
        // Each attempt writes the request anew.
        const request = buildRequest<O>(plan, fields, { copyLists: retries > 0 });
        const attempt = () => {
          this.#checkState(call);
          return transport.send(operation, request, call);
        };
        const response = await withRetries(attempt, retries, clock.lastStart, [call.signal, this.#closed.signal]);
        const plain = plainResponse(plan.result, response as unknown as ResponseObject);
        if (trace) trace.status = plain.status;
        if (use?.checksStatus === false) return plain as never;
        if (!settings.successStatuses.has(plain.status)) throw new StatusError({ ...plan.context, ...plain });
        // The exchange has refused a success without a result.
        return plain.result as never;
      });
    } catch (error) {
      captureCallSite(error);
      throw error;
    }
  }

  /** Returns the records of the result as a stream, which begins the call. */
  records<O extends RecordOperation>(
    operation: O,
    fields: object,
    options?: CallOptions,
  ): AsyncIterableIterator<MessagingRecord<O>> {
    const takeSignal = () => checkOptions(callOptions, options ?? {}, this.#masker).signal;
    return streamRecords({ operation, ...this.#masker }, takeSignal, (consumer, signal) =>
      this.invoke(operation, fields, { ...options, signal }, { checksStatus: true, consumer }),
    );
  }

  /** @param options.withinMs the time in milliseconds after which calls under way are cancelled. Default: never */
  async close(options: { readonly withinMs?: number | undefined }): Promise<void> {
    const { withinMs: limit } = checkOptions(closeOptions, options, this.#masker);
    this.#closed.abort();
    this.#closing ??= this.#transport?.pool.close() ?? Promise.resolve();
    const timer = limit === undefined ? undefined : setTimeout(() => this.#transport?.pool.cancelAll(), limit);
    try {
      await this.#closing;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The first call loads node-soap and the HTTP library, so that importing the package stays cheap. */
  #connect(): Transport {
    if (!this.#transport) {
      const { Transport } = require('./node-soap/transport') as typeof import('./node-soap/transport');
      this.#transport = new Transport(this.#settings);
    }
    return this.#transport;
  }

  #planOf(operation: OperationName): OperationPlan {
    const known = this.#plans.get(operation);
    if (known) return known;
    const plan = planOperation(operation, this.#settings, this.#masker);
    this.#plans.set(operation, plan);
    return plan;
  }

  #checkState({ plan: { context }, signal }: Call): void {
    if (this.#closed.signal.aborted)
      throw new ConnectionError({ ...context, outcome: 'not-sent', code: 'CLOSED', message: 'the client is closed' });
    if (signal?.aborted) throw new AbortError({ ...context, outcome: 'not-sent', cause: signal.reason });
  }
}

/**
 * Makes the plain response of the stub's: a list becomes an array, an absent list an empty array, and a missing
 * statusmessage ''. A test compares each response that is read with the operation table.
 */
function plainResponse(element: Element, { status, statusmessage, [element.name]: value }: ResponseObject) {
  const result = element.kind === 'list' ? ((value as ResponseObject | undefined)?.[element.item.name] ?? []) : value;
  return { result, status: status as number, statusmessage: (statusmessage ?? '') as string };
}
