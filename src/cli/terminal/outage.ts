/** Reports an outage of a service once when it begins and once when it ends. */
export class Outage {
  readonly #log: (line: string) => void;
  #isReported = false;
  /** The requests that failed last, by name. */
  readonly #failed = new Set<string>();

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Reports a failure after which the request is made again. @param message without a full stop */
  report(message: string): void {
    if (!this.#isReported) this.#log(`warning: ${message}; retrying`);
    this.#isReported = true;
  }

  /** Passes the records of a request on. The outage ends when no request has failed last. @param name of the request */
  async *watch<T>(name: string, records: AsyncIterable<T>): AsyncGenerator<T, void> {
    this.#failed.add(name);
    yield* records;
    this.#failed.delete(name);
    if (this.#failed.size === 0) this.end();
  }

  end(): void {
    if (this.#isReported) this.#log('the service responds again');
    this.#isReported = false;
  }
}
