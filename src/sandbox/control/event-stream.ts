import type { ServerResponse } from 'node:http';
import type { SandboxEvent, SandboxState } from '../store/state';
import { eventJson, writeJson } from './json';

/** The number of bytes that may wait for a reader. */
const MAX_WAITING = 33_554_432;

/**
 * Server-sent events. A reader that falls far behind is disconnected, because it would need too much memory. A browser
 * then connects again. Readers share the bytes of an event.
 */
export class EventStream {
  readonly #readers = new Set<ServerResponse>();

  constructor(state: SandboxState) {
    state.listeners.add((event) => {
      if (this.#readers.size > 0) this.#publish(event, state);
    });
  }

  #publish(event: SandboxEvent, state: SandboxState): void {
    let bytes: Buffer | undefined;
    try {
      const data = eventJson(event, state);
      if (data === undefined) return;
      // JSON holds no line end, so one data line is enough.
      bytes = Buffer.from(`event: ${event.t}\ndata: ${writeJson(data)}\n\n`);
    } catch {
      // The JSON of a very long text exceeds the longest string. No reader may miss an event without noticing.
    }
    for (const reader of this.#readers) {
      if (bytes !== undefined) reader.write(bytes);
      // One event may be longer than the limit.
      if (bytes === undefined || reader.writableLength > MAX_WAITING + bytes.length) reader.destroy();
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
    this.#readers.add(response);
    // The reader may leave during a write.
    response.on('error', () => response.destroy());
    response.on('close', () => this.#readers.delete(response));
    // Milliseconds until a browser connects again.
    response.write('retry: 1000\n\n');
  }
}
