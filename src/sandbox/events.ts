import type { ServerResponse } from 'node:http';
import { writeJson } from './views';

/** The names of the events (control interface). */
export type EventName = 'sent' | 'status' | 'received' | 'request' | 'reset';

/** Bounds the queue; the newest event is always kept. */
const MAX_BYTES = 33_554_432;

/**
 * Server-sent events. All readers share one bounded queue, from which each reads at its own pace. A reader that falls behind
 * the queue is disconnected, because it would miss events without noticing. A browser then connects again.
 */
export class Events {
  /** Events by number. */
  readonly #queue = new Map<number, Buffer>();
  readonly #readers = new Set<Reader>();
  #bytes = 0;
  /** Number of the oldest event in the queue, and of the next one to publish. */
  #oldest = 0;
  #next = 0;

  /** @param record gives the data of the event; called only when there is a reader */
  publish(name: EventName, record: () => unknown): void {
    if (this.#readers.size === 0) return;
    let event: Buffer;
    try {
      // JSON holds no line end, so one data line is enough.
      event = Buffer.from(`event: ${name}\ndata: ${writeJson(record())}\n\n`);
    } catch {
      // The JSON of a long exchange exceeds the longest string. Its readers must not miss an event without noticing.
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

  /** Answers with all events from now on, until the reader leaves. */
  attach(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    const reader: Reader = { response, next: this.#next, isFull: false };
    this.#readers.add(reader);
    response.on('drain', () => {
      reader.isFull = false;
      this.#feed(reader);
    });
    // The reader may leave while something is written.
    response.on('error', () => response.destroy());
    response.on('close', () => {
      this.#readers.delete(reader);
      while (this.#readers.size === 0 && this.#queue.size > 0) this.#dropOldest();
    });
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' });
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
  /** Number of the next event to write. */
  next: number;
  /** Whether its connection takes no more for now. */
  isFull: boolean;
}
