import { AbortError, captureCallSite, type ErrorContext } from '../errors';
import type { Signal } from '../internal/signals';
import type { RecordConsumer } from './call';

/** The number of unread records at which the connection pauses. */
const HIGH_WATER_MARK = 500;

/** Begins the call, which ends when `left` aborts. Throws when the options of the call are wrong. */
type BeginCall = (consumer: RecordConsumer, left: AbortSignal) => BegunCall;

interface BegunCall {
  /** The signal of the caller. */
  readonly signal: Signal | undefined;
  /** Settles when the response was read and checked. */
  readonly settled: Promise<unknown>;
}

/**
 * Yields the records of a response that is still arriving. The iteration ends only when the whole response was read and
 * its status checked; else it rejects. Leaving the loop ends the call.
 *
 * @param begin is called when the first record is asked for
 */
export function streamRecords<T>(context: ErrorContext, begin: BeginCall): AsyncIterableIterator<T> {
  const records = new ArrivingRecords<T>(context, begin);
  const iterator: AsyncIterableIterator<T> = {
    next: () => records.next(iterator),
    return: async () => {
      records.leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  collected.register(iterator, records, records);
  return iterator;
}

/**
 * Nobody can read the records of an iterator that was collected, and its call would hold a connection for ever. The
 * registry keeps the records, so it must forget them when they end, and they must not lead back to their iterator.
 */
const collected = new FinalizationRegistry<{ leave(): void }>((records) => records.leave());

/** The reason of the abort when a stream is left. Node's own is an error, whose stack keeps the iterator. */
const LEFT = 'the stream was left';

/** A `next` that waits for a record. It keeps its iterator, because the caller may have kept the promise only. */
interface Waiting<T> {
  readonly iterator: object;
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

/** The records that have arrived and were not read yet. It keeps no iterator for which nobody waits. */
class ArrivingRecords<T> implements RecordConsumer {
  readonly #context: ErrorContext;
  readonly #begin: BeginCall;
  readonly #left = new AbortController();
  #call: BegunCall | undefined;
  /** The outcome of the call. The unread records come before it. */
  #outcome: { readonly error?: unknown } | undefined;
  #hasEnded = false;
  #records: T[] = [];
  #next = 0;
  /** Empty while a record is unread. */
  #waiting: Waiting<T>[] = [];
  #resume: (() => void) | undefined;

  constructor(context: ErrorContext, begin: BeginCall) {
    this.#context = context;
    this.#begin = begin;
  }

  push(arrived: unknown[], resume: () => void): boolean {
    this.#records = [...this.#records.slice(this.#next), ...(arrived as T[])];
    this.#next = 0;
    while (this.#waiting.length > 0 && this.#next < this.#records.length) this.#waiting.shift()?.resolve(this.#take());
    if (this.#records.length - this.#next < HIGH_WATER_MARK) return true;
    this.#resume = resume;
    return false;
  }

  async next(iterator: object): Promise<IteratorResult<T, undefined>> {
    try {
      if (this.#next < this.#records.length) {
        const signal = this.#call?.signal;
        // The response may have arrived as a whole, but the caller wants no more of it.
        if (signal?.aborted) throw new AbortError({ ...this.#context, outcome: 'unknown', cause: signal.reason });
        return this.#take();
      }
      if (this.#hasEnded) return { done: true, value: undefined };
      return await new Promise<IteratorResult<T, undefined>>((resolve, reject) => {
        this.#waiting.push({ iterator, resolve, reject });
        this.#start();
        if (this.#outcome) this.#finish(this.#outcome);
        // Records may arrive, and reading may pause again, before this call returns.
        const resume = this.#resume;
        this.#resume = undefined;
        resume?.();
      });
    } catch (error) {
      this.#end();
      captureCallSite(error);
      throw error;
    }
  }

  /** Ends the call and the iteration. */
  leave(): void {
    this.#end();
    this.#left.abort(LEFT);
  }

  #take(): IteratorResult<T, undefined> {
    return { done: false, value: this.#records[this.#next++] as T };
  }

  #start(): void {
    if (this.#call) return;
    this.#call = this.#begin(this, this.#left.signal);
    const settle = (outcome: { readonly error?: unknown }): void => {
      this.#outcome = outcome;
      if (this.#waiting.length > 0) this.#finish(outcome);
    };
    this.#call.settled.then(
      () => settle({}),
      (error) => settle({ error }),
    );
  }

  /** Ends the iteration with the outcome of the call. An error is for the first who waits. */
  #finish({ error }: { readonly error?: unknown }): void {
    if (error === undefined) this.#end();
    else this.#waiting.shift()?.reject(error);
  }

  #end(): void {
    this.#hasEnded = true;
    collected.unregister(this);
    this.#records = [];
    for (const { resolve } of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  }
}
