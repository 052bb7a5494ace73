import type { ServerResponse } from 'node:http';
import { writeJson } from './json';

/** Bounds the queue. The newest event is always kept. */
const MAX_BYTES = 33_554_432;

/**
 * Server-sent events. All readers share one bounded queue, from which each reads at its own pace. A reader that falls
 * behind the queue is disconnected, because it would miss events without noticing. A browser then connects again.
 */
export class EventStream {
  /** Events by number. */
  readonly #queue = new Map<number, Buffer>();
  readonly #readers = new Set<Reader>();
  #bytes = 0;
  /** The number of the oldest event in the queue, and of the next event. */
  #oldest = 0;
  #next = 0;

  /** @param data returns the data of the event; it is called only when there is a reader */
  publish(name: string, data: () => object): void {
    if (this.#readers.size === 0) return;
    let event: Buffer;
    try {
      // JSON holds no line end, so one data line is enough.
      event = Buffer.from(`event: ${name}\ndata: ${writeJson(data())}\n\n`);
    } catch {
      // The JSON of a very long text exceeds the longest string. No reader may miss an event without noticing.
      for (const { response } of this.#readers) response.destroy();
      return;
    }
    this.#queue.set(this.#next, event);
    this.#next += 1;
    this.#bytes += event.length;
    while (this.#bytes > MAX_BYTES && this.#queue.size > 1) this.#dropOldest();
    for (const reader of this.#readers) {
      if (reader.next < this.#oldest) reader.response.destroy();
      else this.#feed(reader);
    }
  }

  /**
   * Sends every event from now on as the response, until the reader leaves.
   *
   * @param isHead true for a request that asks for the headers only
   */
  attach(response: ServerResponse, headers: Readonly<Record<string, string>>, isHead: boolean): void {
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' });
    if (isHead) {
      response.end();
      return;
    }
    const reader: Reader = { response, next: this.#next, isFull: false };
    this.#readers.add(reader);
    response.on('drain', () => {
      reader.isFull = false;
      this.#feed(reader);
    });
    // The reader may leave during a write.
    response.on('error', () => response.destroy());
    response.on('close', () => {
      this.#readers.delete(reader);
      while (this.#readers.size === 0 && this.#queue.size > 0) this.#dropOldest();
    });
    // Milliseconds until a browser connects again.
    response.write('retry: 1000\n\n');
  }

  #feed(reader: Reader): void {
    while (!reader.isFull && reader.next < this.#next) {
      reader.isFull = !reader.response.write(this.#queue.get(reader.next));
      reader.next += 1;
    }
  }

  #dropOldest(): void {
    this.#bytes -= this.#queue.get(this.#oldest)?.length ?? 0;
    this.#queue.delete(this.#oldest);
    this.#oldest += 1;
  }
}

interface Reader {
  readonly response: ServerResponse;
  /** The number of the next event to write. */
  next: number;
  /** True while the connection's write buffer is full. */
  isFull: boolean;
}
