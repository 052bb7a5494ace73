import type { RecordConsumer } from './call/call';
import { nameCaller } from './caller-stack';

/** As many records may wait for the consumer before the connection pauses. */
const HIGH_WATER_MARK = 500;

/**
 * Records of an answer that is still arriving, one at a time. The iteration ends only when the whole answer was read and
 * its status checked; else it rejects. Leaving the loop aborts the call.
 */
export class RecordStream<T> implements AsyncIterableIterator<T>, RecordConsumer {
  #records: T[] = [];
  #next = 0;
  #resume: (() => void) | undefined;
  readonly #waiting: { resolve(result: IteratorResult<T>): void; reject(error: unknown): void }[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #start: (() => void) | undefined;
  readonly #abort: AbortController;

  /**
   * @param call starts the call; it settles when the answer was read and checked
   * @param takeSignal gives the caller's signal, or throws when the caller's options are wrong
   */
  constructor(
    call: (consumer: RecordConsumer, signal: AbortSignal) => Promise<unknown>,
    takeSignal: () => AbortSignal | undefined,
  ) {
    const abort = new AbortController();
    this.#abort = abort;
    const run = async (): Promise<void> => {
      const signal = takeSignal();
      const forward = () => abort.abort(signal?.reason);
      if (signal?.aborted) forward();
      signal?.addEventListener('abort', forward);
      try {
        await call(this, abort.signal);
      } finally {
        signal?.removeEventListener('abort', forward);
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
    const left = this.#records.length - this.#next;
    this.#records = left > 0 ? [...this.#records.slice(this.#next), ...(records as T[])] : (records as T[]);
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
    if (this.#next < this.#records.length) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#failure) {
      const { error } = this.#failure;
      this.#failure = undefined;
      this.#ended = true;
      nameCaller(error);
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return this.#wait();
  }

  async #wait(): Promise<IteratorResult<T>> {
    const result = new Promise<IteratorResult<T>>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
    this.#resumeSource();
    try {
      return await result;
    } catch (error) {
      nameCaller(error);
      throw error;
    }
  }

  return(): Promise<IteratorResult<T>> {
    this.#start = undefined;
    this.#ended = true;
    this.#records = [];
    this.#next = 0;
    this.#abort.abort();
    this.#endWaiting();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): T {
    return this.#records[this.#next++] as T;
  }

  #resumeSource(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  #end(): void {
    this.#ended = true;
    this.#endWaiting();
  }

  #endWaiting(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  }

  #fail(error: unknown): void {
    // After `return` nobody listens any more.
    if (this.#ended) return;
    const first = this.#waiting.shift();
    if (first) {
      this.#ended = true;
      first.reject(error);
      this.#endWaiting();
    } else {
      this.#failure = { error };
    }
  }
}
