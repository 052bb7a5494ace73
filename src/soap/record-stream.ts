import { AbortError, type ErrorContext } from '../errors';
import type { Signal } from '../internal/signals';
import { combineSignals } from '../internal/signals';
import { captureCallSite, type RecordConsumer } from './call';

/** The number of waiting records at which the connection pauses. */
const HIGH_WATER_MARK = 500;

/**
 * Yields the records of a response that is still arriving, one at a time. The iteration ends only when the whole
 * response was read and its status checked; else it rejects. Leaving the loop aborts the call.
 */
export class RecordStream<T> implements AsyncIterableIterator<T>, RecordConsumer {
  readonly #context: ErrorContext;
  #records: T[] = [];
  #next = 0;
  #resume: (() => void) | undefined;
  readonly #waiting: { resolve(result: IteratorResult<T>): void; reject(error: unknown): void }[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #start: (() => void) | undefined;
  /** The caller's signal. */
  #signal: Signal | undefined;
  readonly #abort = new AbortController();

  /**
   * @param call starts the call, which settles when the response was read and checked
   * @param takeSignal returns the signal of the call's options, or throws when the options are wrong
   */
  constructor(
    call: (consumer: RecordConsumer, signal: AbortSignal) => Promise<unknown>,
    takeSignal: () => AbortSignal | undefined,
    context: ErrorContext,
  ) {
    this.#context = context;
    const run = async (): Promise<void> => {
      this.#signal = takeSignal();
      const { signal, release } = combineSignals([this.#signal, this.#abort.signal]);
      try {
        await call(this, signal);
      } finally {
        release();
      }
    };
    // Nothing is sent before the first record is asked for.
    this.#start = () => {
      run().then(
        () => this.#end(),
        (error: unknown) => this.#fail(error),
      );
    };
  }

  push(records: unknown[], resume: () => void): boolean {
    const hasWaiting = this.#next < this.#records.length;
    this.#records = hasWaiting ? [...this.#records.slice(this.#next), ...(records as T[])] : (records as T[]);
    this.#next = 0;
    while (this.#waiting.length > 0 && this.#next < this.#records.length) {
      this.#waiting.shift()?.resolve({ done: false, value: this.#take() });
    }
    if (this.#records.length - this.#next < HIGH_WATER_MARK) return true;
    this.#resume = resume;
    return false;
  }

  next(): Promise<IteratorResult<T>> {
    this.#start?.();
    this.#start = undefined;
    if (this.#next < this.#records.length) {
      if (!this.#signal?.aborted) return Promise.resolve({ done: false, value: this.#take() });
      this.#stop(this.#signal.reason);
    }
    if (this.#failure) {
      const { error } = this.#failure;
      this.#failure = undefined;
      this.#ended = true;
      captureCallSite(error);
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return this.#wait();
  }

  async #wait(): Promise<IteratorResult<T>> {
    const result = new Promise<IteratorResult<T>>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
    try {
      return await result;
    } catch (error) {
      captureCallSite(error);
      throw error;
    }
  }

  return(): Promise<IteratorResult<T>> {
    this.#start = undefined;
    this.#drop();
    this.#abort.abort();
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): T {
    return this.#records[this.#next++] as T;
  }

  #drop(): void {
    this.#records = [];
    this.#next = 0;
  }

  /** Ends the stream before its waiting records: the caller wants no more. The response may have arrived as a whole. */
  #stop(cause: unknown): void {
    this.#drop();
    this.#failure ??= { error: new AbortError({ ...this.#context, outcome: 'unknown', cause }) };
  }

  #end(): void {
    this.#ended = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  }

  #fail(error: unknown): void {
    // After `return`, nobody listens.
    if (this.#ended) return;
    const first = this.#waiting.shift();
    if (first) {
      first.reject(error);
      this.#end();
    } else {
      this.#failure = { error };
    }
  }
}
