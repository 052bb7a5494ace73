import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { WIRE_CHANNEL, type WireMessage } from '../../client/channels';
import { createMasker } from '../../internal/mask';
import type { OutputStream } from './output-stream';
import { visible } from './text';

/**
 * Prints each request after `>` and each response after `<`, line by line, with control characters escaped, and before
 * each of them the milliseconds since this call. The client has masked the API key already; it is masked again, because
 * this output is often shown to others.
 *
 * @returns a function that ends it
 */
export function logWire(output: OutputStream, apiKey: string | undefined): () => void {
  const { mask } = createMasker(apiKey);
  const start = performance.now();
  const listener = (message: unknown): void => {
    const { direction, head, body } = message as WireMessage;
    const time = Math.round(performance.now() - start);
    const sign = direction === 'request' ? '>' : '<';
    const lines = mask(`${head.trimEnd()}\n\n${body}`)
      .trimEnd()
      .split(/\r\n|\r|\n/);
    output.writeNow(`* ${time} ms\n${lines.map((line) => `${sign} ${visible(line)}`.trimEnd()).join('\n')}\n`);
  };
  subscribe(WIRE_CHANNEL, listener);
  return () => void unsubscribe(WIRE_CHANNEL, listener);
}
