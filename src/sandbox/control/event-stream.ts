import type { ServerResponse } from 'node:http';
import type { SentMessage } from '../store/changes';
import type { SandboxEvent, SandboxState } from '../store/state';
import { messageJson, receivedJson, requestJson, writeJson } from './json';

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
      const data = dataOf(event, state);
      if (data === undefined) return;
      const json = writeJson(data, event.t === 'request' ? state.mask : undefined);
      // JSON holds no line end, so one data line is enough.
      bytes = Buffer.from(`event: ${event.t}\ndata: ${json}\n\n`);
    } catch {
      // The JSON of a very long text exceeds the longest string. No reader may miss an event without noticing.
    }
    for (const reader of this.#readers) {
      if (bytes !== undefined) reader.write(bytes);
      // One event may be longer than the limit.
      if (bytes === undefined || reader.writableLength > MAX_WAITING + bytes.length) reader.destroy();
    }
  }

  /** Sends every event from now on as the response, until the reader leaves. */
  attach(response: ServerResponse): void {
    this.#readers.add(response);
    // The reader may leave during a write.
    response.on('error', () => response.destroy());
    response.on('close', () => this.#readers.delete(response));
    // Milliseconds until a browser connects again.
    response.write('retry: 1000\n\n');
  }
}

/** The data of an event; undefined for an event that no reader is told of. */
function dataOf(event: SandboxEvent, { replies, sent }: SandboxState): object | undefined {
  switch (event.t) {
    case 'sent':
      return messageJson(event);
    case 'status':
      return messageJson(sent.find(event.messageid) as SentMessage);
    case 'received':
      return receivedJson(event);
    case 'request':
      return requestJson(event.request);
    case 'removed':
      return { messageids: event.messageids };
    case 'delivery':
      return event.delivery;
    case 'replies':
      return { armed: replies.list.length };
    case 'reset':
      return {};
    default:
      return undefined;
  }
}
