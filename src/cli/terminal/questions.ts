import { createInterface, type Interface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { Writable } from 'node:stream';
import { UsageError } from './failure';
import type { Io } from './io';
import type { OutputStream } from './output-stream';

/** The streams on which a user reads questions and types the replies. */
interface Conversation {
  readonly io: Io;
  readonly stderr: OutputStream;
}

/** True when someone can be asked: stdin and stderr lead to a terminal. */
export function canAsk({ io }: Pick<Conversation, 'io'>): boolean {
  return (io.stdin as Readable & { isTTY?: boolean }).isTTY === true && io.stderr.isTTY === true;
}

/** Asks questions on a terminal. The questions go to stderr, like everything that is not data. */
export class Questions {
  readonly #lines: Interface;
  readonly #stderr: OutputStream;
  readonly #end = new AbortController();
  #isSecret = false;

  /** @param signal ends the questions */
  constructor({ io, stderr }: Conversation, signal: AbortSignal) {
    this.#stderr = stderr;
    const output = new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        if (!this.#isSecret) stderr.writeNow(text);
        done();
      },
    });
    // Without a history, the key up brings back no secret.
    this.#lines = createInterface({ input: io.stdin, output, terminal: true, historySize: 0 });
    this.#lines.on('SIGINT', () => io.signals.emit('SIGINT', 'SIGINT'));
    this.#lines.on('close', () => this.#end.abort(new UsageError('the input ended before the last question')));
    signal.addEventListener('abort', () => this.#end.abort(signal.reason));
  }

  /** Resolves with the trimmed line that the user types. */
  async ask(question: string): Promise<string> {
    try {
      return (await this.#lines.question(question, { signal: this.#end.signal })).trim();
    } catch (error) {
      throw this.#end.signal.aborted ? this.#end.signal.reason : error;
    }
  }

  /** Asks without showing what the user types. */
  async askSecret(question: string): Promise<string> {
    this.#stderr.writeNow(question);
    this.#isSecret = true;
    try {
      return await this.ask('');
    } finally {
      this.#isSecret = false;
      this.#stderr.writeNow('\n');
    }
  }

  close(): void {
    this.#lines.close();
  }
}
