import type { Connection } from './connection';
import type { HttpReceiver } from './http-response';
import type { Failure, Handle, HttpRequest, ResponseHead, Sink } from './transport';

/** A request from `send` to its end. Once it is done its sink hears nothing more. */
export class PendingRequest implements Handle, HttpReceiver {
  readonly http: HttpRequest;
  /** Whether it has ended or was given up. */
  done = false;
  /** The one that waits behind it for a connection. */
  next: PendingRequest | undefined;
  /** Ends the attempt to connect for it. */
  giveUp: (() => void) | undefined;
  /** What it is written to. */
  connection: Connection | undefined;
  readonly #sink: Sink;
  readonly #onDone: () => void;

  constructor(http: HttpRequest, sink: Sink, onDone: () => void) {
    this.http = http;
    this.#sink = sink;
    this.#onDone = onDone;
  }

  onSent(): void {
    this.#sink.onSent();
  }

  onHeaders(head: ResponseHead): void {
    if (!this.done) this.#sink.onHeaders(head);
  }

  onData(chunk: Buffer): void {
    if (!this.done) this.#sink.onData(chunk);
  }

  onEnd(): void {
    if (this.#finish()) this.#sink.onEnd();
  }

  onFailure(failure: Failure): void {
    if (this.#finish()) this.#sink.onFailure(failure);
  }

  abort(): void {
    if (!this.#finish()) return;
    if (this.connection) this.connection.destroy();
    else this.giveUp?.();
  }

  pause(): void {
    if (!this.done) this.connection?.pause();
  }

  resume(): void {
    if (!this.done) this.connection?.resume();
  }

  /** False when it was done before. */
  #finish(): boolean {
    if (this.done) return false;
    this.done = true;
    this.#onDone();
    return true;
  }
}
