import type { ServerResponse } from 'node:http';
import type { SandboxEvent, SandboxState } from '../store/state';
import { writeJson } from './json';

/** The kinds of changes that readers are told of. */
const kinds: ReadonlySet<SandboxEvent['t']> = new Set([
  ...(['sent', 'status', 'received', 'removed'] as const),
  ...(['request', 'replies', 'delivery', 'reset'] as const),
]);

/** The least time between two events, and the time after which an event without a change is sent, in milliseconds. */
const [PAUSE_MS, ALIVE_MS] = [100, 15_000];

/** The number of bytes that may wait for a reader. */
const MAX_WAITING = 65_536;

/**
 * Server-sent events, which say what kinds of things have changed since the last one. They carry no records: a reader
 * asks for what it shows. So what waits for a reader that does not read is small, and the reader is disconnected.
 */
export class EventStream {
  readonly #readers = new Set<ServerResponse>();
  readonly #changed = new Set<string>();
  #next: NodeJS.Timeout | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(state: SandboxState) {
    state.listeners.add(({ t }) => {
      // A message that is there again is one more message of the list.
      const kind = t === 'restored' ? 'sent' : t;
      if (this.#readers.size === 0 || !kinds.has(kind)) return;
      if (this.#changed.size === 0) this.#plan(this.#lastAt + PAUSE_MS - performance.now());
      this.#changed.add(kind);
    });
  }

  /** Sends every event from now on as the response, until the reader leaves. */
  attach(response: ServerResponse): void {
    this.#readers.add(response);
    if (this.#readers.size === 1) this.#plan(ALIVE_MS);
    // The reader may leave during a write.
    response.on('error', () => response.destroy());
    response.on('close', () => {
      this.#readers.delete(response);
      if (this.#readers.size > 0) return;
      clearTimeout(this.#next);
      this.#changed.clear();
    });
    // Milliseconds until a browser connects again.
    response.write('retry: 1000\n\n');
  }

  #plan(delayMs: number): void {
    clearTimeout(this.#next);
    this.#next = setTimeout(() => this.#send(), Math.max(0, delayMs)).unref();
  }

  #send(): void {
    // A browser reports no event without data, and no comment.
    const bytes = Buffer.from(`data: ${writeJson({ changed: [...this.#changed] })}\n\n`);
    this.#changed.clear();
    this.#lastAt = performance.now();
    this.#plan(ALIVE_MS);
    for (const reader of this.#readers) {
      if (reader.writableLength > MAX_WAITING) reader.destroy();
      else reader.write(bytes);
    }
  }
}
