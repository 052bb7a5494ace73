import { AsyncResource } from 'node:async_hooks';
import { AbortError, ConnectionError, StatusError } from '../errors';
import { createMasker, type Masker } from '../internal/mask';
import { combineSignals } from '../internal/signals';
import { timers } from '../internal/timers';
import { checkOptions, type ResolvedOptions } from '../options/table';
import type { Element, ResponseObject } from '../soap/element';
import type { MessagingRecord, MessagingResponse, MessagingResult, OperationName, RecordOperation } from '../types';
import type { Call, RecordConsumer } from './call';
import { type CallTrace, traceCall } from './channels';
import { CallClock } from './clock';
import type { Transport } from './node-soap/transport';
import { type CallOptions, callOptions, closeOptions, type StreamOptions, streamOptions } from './options/call';
import type { Settings } from './options/client';
import { type ClientHeaders, readValues, secretsOf } from './options/headers';
import { type OperationPlan, planOperation } from './plan';
import { streamRecords } from './record-stream';
import { buildRequest } from './request/write-request';
import { withRetries } from './retry';

/** The checked options of a call or of a stream. */
type CheckedOptions = Partial<ResolvedOptions<typeof streamOptions>>;

/** How a method, a stream or `call` uses a call. */
interface Use<Checks extends boolean> {
  /** False to resolve with any response, whatever its status is. */
  readonly checksStatus: Checks;
  readonly consumer?: RecordConsumer;
  /** Aborts when the consumer has left. */
  readonly left?: AbortSignal;
}

type ResultOf<O extends OperationName, Checks> = Checks extends true ? MessagingResult<O> : MessagingResponse<O>;

/** Invokes operations: takes the fields of a request, and resolves with plain values or rejects with typed errors. */
export class Invoker {
  readonly #settings: Settings;
  readonly #masker: Masker;
  /** The headers of each call, names and values in turn; or the function that returns those of a call. */
  readonly #headers: readonly string[] | Extract<ClientHeaders, (...call: never) => unknown>;
  readonly #plans = new Map<OperationName, OperationPlan>();
  #transport: Transport | undefined;
  #closing: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(settings: Settings) {
    this.#settings = settings;
    const { headers = {} } = settings;
    this.#headers = typeof headers === 'function' ? headers : Object.entries(headers).flat();
    this.#masker = createMasker(settings.apiKey, ...(typeof headers === 'function' ? [] : secretsOf(headers)));
  }

  /** Resolves with the plain result of a success, or with any response when `checksStatus` is false. */
  invoke<O extends OperationName, Checks extends boolean = true>(
    operation: O,
    fields: object,
    options?: CallOptions,
    use?: Use<Checks>,
  ): Promise<ResultOf<O, Checks>> {
    const check = (): CheckedOptions => (options ? checkOptions(callOptions, options, this.#masker) : {});
    return traceCall(operation, this.#settings, this.#masker, undefined, (trace) =>
      this.#call(operation, fields, check(), use, trace),
    );
  }

  /** Returns the records of the result as a stream, which begins the call. */
  records<O extends RecordOperation>(
    operation: O,
    fields: object,
    options?: StreamOptions,
  ): AsyncIterableIterator<MessagingRecord<O>> {
    return streamRecords({ operation, ...this.#masker }, (consumer, left) => {
      const checked = checkOptions(streamOptions, options ?? {}, this.#masker);
      const settled = traceCall(operation, this.#settings, this.#masker, left, (trace) =>
        this.#call(operation, fields, checked, { checksStatus: true, consumer, left }, trace),
      );
      return { signal: checked.signal, settled };
    });
  }

  /** @param options.withinMs the time in milliseconds after which calls under way are cancelled. Default: never */
  async close(options: { readonly withinMs?: number | undefined }): Promise<void> {
    const { withinMs: limit } = checkOptions(closeOptions, options, this.#masker);
    this.#closed.abort();
    this.#closing ??= this.#transport?.pool.close() ?? Promise.resolve();
    const timer = limit === undefined ? undefined : timers.setTimeout(() => this.#transport?.pool.cancelAll(), limit);
    try {
      await this.#closing;
      // The callers get their results first, because a program may end when the client is closed.
      await new Promise((resolve) => timers.setImmediate(resolve));
    } finally {
      timers.clearTimeout(timer);
    }
  }

  async #call<O extends OperationName, Checks extends boolean>(
    operation: O,
    fields: object,
    options: CheckedOptions,
    use: Use<Checks> | undefined,
    trace: CallTrace | undefined,
  ): Promise<ResultOf<O, Checks>> {
    const settings = this.#settings;
    const { onUnreadable, retries = settings.retries, maxResponseBytes = settings.maxResponseBytes } = options;
    // The limits include the time that loading the libraries takes.
    const clock = new CallClock({
      call: options.timeoutMs ?? settings.timeoutMs,
      start: options.startWithinMs ?? 0,
      silence: options.idleTimeoutMs ?? settings.idleTimeoutMs,
    });
    const stop = use?.left && combineSignals([options.signal, use.left]);
    const signal = stop?.signal ?? options.signal;
    try {
      const transport = this.#connect();
      const { plan, headers } = this.#withHeaders(this.#planOf(operation), operation);
      const call: Call = {
        plan,
        headers,
        signal,
        clock,
        maxResponseBytes,
        consumer: use?.consumer,
        trace,
        // The events of a connection come in the asynchronous context of the call that made it.
        onUnreadable: onUnreadable && AsyncResource.bind(onUnreadable),
      };
      // Each attempt writes the request anew.
      const request = buildRequest<O>(plan, fields, { copyLists: retries > 0 });
      const attempt = () => {
        this.#checkState(call);
        return transport.send(operation, request, call);
      };
      const response = await withRetries(attempt, retries, clock.latestStart, [signal, this.#closed.signal]);
      const plain = plainResponse(plan.result, response as unknown as ResponseObject);
      if (trace) trace.status = plain.status;
      if (use?.checksStatus === false) return plain as never;
      if (!settings.successStatuses.has(plain.status)) throw new StatusError({ ...plan.context, ...plain });
      // The exchange has refused a success without a result.
      return plain.result as never;
    } finally {
      stop?.release();
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

  /** Asks for the headers of a call. Its plan then masks them. */
  #withHeaders(plan: OperationPlan, operation: OperationName): Pick<Call, 'plan' | 'headers'> {
    if (typeof this.#headers !== 'function') return { plan, headers: this.#headers };
    const { headers } = checkOptions(
      { headers: { read: readValues, default: {} } },
      { headers: this.#headers({ operation }) },
    );
    const masker = createMasker(this.#settings.apiKey, ...secretsOf(headers));
    return { plan: { ...plan, context: { ...plan.context, ...masker } }, headers: Object.entries(headers).flat() };
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
