import { setTimeout as sleep } from 'node:timers/promises';
import type { IRedisClient, Queue } from 'bullmq';
import { ConfigurationError } from '../../errors';
import { createMasker, type Masker } from '../../internal/mask';
import { combineSignals, onAbort, type Signal } from '../../internal/signals';
import type { ConnectionOptions } from './options';
import { loadPeers } from './peers';
import { checkRedis, makeClient, REPLY_MS, type RedisClient } from './redis-client';
import { RedisError } from './redis-error';

/** The time that is left for operations once the command was told to stop, in milliseconds. */
const STOP_MS = 3000;
/** The pause before an operation is tried again, in milliseconds. */
const RETRY_MS = 250;

/** Replies to a command that may succeed later: Redis is loading, has no memory, is being replaced, and so on. */
const TEMPORARY = /^(LOADING|OOM|MISCONF|READONLY|BUSY|MASTERDOWN|NOREPLICAS|TRYAGAIN|NOSCRIPT)\b/;
/** The words about a Redis that sends no reply. */
const SILENT = 'it does not respond';

/**
 * Runs work with a connection to Redis that is checked and closed.
 *
 * @throws {ConfigurationError} when a peer is missing, or Redis may lose data
 * @throws {RedisError} when Redis cannot be reached, does not respond, or refuses a command
 */
export async function withRedis<T>(
  options: ConnectionOptions,
  work: (connection: RedisConnection) => Promise<T>,
): Promise<T> {
  const connection = new RedisConnection(options);
  try {
    await connection.open();
    return await work(connection);
  } finally {
    connection.close();
  }
}

/** A connection to Redis, and the library that works on it. */
export class RedisConnection {
  readonly redis: RedisClient;
  readonly bullmq = loadPeers().bullmq;
  /** The same connection for all queues of BullMQ, which does not remove its listeners from a client. */
  #forQueues: IRedisClient | undefined;
  readonly #options: ConnectionOptions;
  readonly #host: string;
  readonly #masker: Masker;
  /** Aborts with the signal of the options. Its listeners are removed when the connection is closed. */
  readonly signal: Signal;
  readonly #release: () => void;
  /** The connection and its copies, which BullMQ makes. */
  readonly #clients: RedisClient[] = [];
  #isStarted = false;
  #isStopping = false;
  /** Ends the operations that were begun before the command was told to stop, and further attempts. */
  readonly #patience = new AbortController();
  /** The warnings that were reported since Redis was last ready. */
  readonly #warnings = new Set<string>();

  constructor(options: ConnectionOptions) {
    const { host, username, password } = new URL(options.redis);
    this.#options = options;
    this.#host = host;
    // A user without a password may be a password in the wrong place.
    this.#masker = createMasker(decodeURIComponent(password || username));
    this.redis = withCopies(
      makeClient(options.redis, () => this.#isStarted),
      (client) => this.#clients.push(client),
    );
    this.redis.on('error', this.warn);
    this.redis.on('ready', () => this.#warnings.clear());
    ({ signal: this.signal, release: this.#release } = combineSignals([options.signal]));
    onAbort(this.signal, () => this.#stop());
    if (this.signal.aborted) this.#stop();
  }

  /** Connects, and checks Redis. @throws {ConfigurationError} @throws {RedisError} */
  async open(): Promise<void> {
    const connect = async () => {
      await this.redis.connect();
      await checkRedis(this.redis, this.#options);
    };
    await this.inTime(connect()).catch((error: Error) => {
      if (error instanceof ConfigurationError) throw error;
      const { protocol, password } = new URL(this.#options.redis);
      const needsPassword = password === '' && wordsOf(error).startsWith('NOAUTH');
      const advice = `NOAUTH: it needs a password in the URL, ${protocol}//:PASSWORD@${this.#host}`;
      throw this.#errorOf(`cannot be used: ${needsPassword ? advice : wordsOf(error)}`);
    });
    // Without a listener, an error after a queue was closed would end the process.
    const forQueues = this.bullmq.createNodeRedisClient(this.redis) as IRedisClient;
    this.#forQueues = withCopies(forQueues, (client) => client.on('error', this.warn));
    this.#isStarted = true;
  }

  /** The options of a queue or a worker of BullMQ. */
  get queueOptions() {
    return { connection: this.#forQueues as IRedisClient, skipMetasUpdate: true };
  }

  openQueue(name: string): Queue {
    const queue = new this.bullmq.Queue(name, this.queueOptions);
    queue.on('error', this.warn);
    return queue;
  }

  close(): void {
    this.#release();
    this.#isStopping = true;
    this.#patience.abort();
    for (const client of this.#clients) {
      destroy(client);
      // A client that is destroyed while it connects becomes ready all the same, and its timer keeps the process alive.
      client.on('ready', () => destroy(client));
    }
  }

  /** Leaves operations only a few seconds from now on. */
  #stop(): void {
    this.#isStopping = true;
    setTimeout(() => this.#patience.abort(), STOP_MS).unref();
  }

  /** Reports a failure that is retried; a lasting failure once. A command that `close` has cut off is no failure. */
  readonly warn = (error: Error): void => {
    if (error instanceof loadPeers().redis.DisconnectsClientError) return;
    const words = this.#masker.mask(wordsOf(error));
    if (!this.#isStarted || this.#warnings.has(words)) return;
    this.#warnings.add(words);
    this.#options.onWarning?.(`Redis: ${words}; trying again`);
  };

  /**
   * Runs an operation on Redis. While Redis cannot be reached or does not respond, the operation is run again, for up
   * to `redisTimeoutMs`. So it must be an operation that may be run twice.
   *
   * @throws {RedisError}
   */
  async attempt<T>(operation: () => Promise<T>): Promise<T> {
    let leftMs = this.#options.redisTimeoutMs;
    for (;;) {
      const began = performance.now();
      try {
        return await this.inTime(operation());
      } catch (error) {
        const words = wordsOf(error as Error);
        const isRefusal = error instanceof loadPeers().redis.ErrorReply && !TEMPORARY.test(words);
        if (isRefusal) throw this.#errorOf(`refused a command: ${words}`);
        this.warn(error as Error);
        // While this process was stopped, it did not wait for Redis.
        leftMs -= Math.min(performance.now() - began, REPLY_MS);
        if (leftMs <= 0 || this.#patience.signal.aborted) {
          // The other operations have waited as well.
          this.#stop();
          throw this.#errorOf(`cannot be used any more: ${words}`);
        }
        const pauseMs = Math.min(RETRY_MS, leftMs);
        leftMs -= pauseMs;
        await sleep(pauseMs);
      }
    }
  }

  #errorOf(words: string): RedisError {
    return new RedisError(this.#masker.mask(`Redis at ${this.#host} ${words}`));
  }

  /** Fails an operation that has had no reply for too long. A connection may stay open without a reply for ever. */
  async inTime<T>(operation: Promise<T>): Promise<T> {
    const { signal, release } = this.#isStopping
      ? combineSignals([], STOP_MS)
      : combineSignals([this.#patience.signal], REPLY_MS);
    const silence = new Promise<never>((_, reject) => {
      onAbort(signal, () => reject(new Error(SILENT)));
    });
    return Promise.race([operation, silence]).finally(release);
  }
}

/** Visits a client, and each copy that will be made of it or of its copies. Returns the client. */
function withCopies<Client extends { duplicate: unknown }>(client: Client, visit: (client: Client) => void): Client {
  const duplicate = (client.duplicate as (...args: unknown[]) => Client).bind(client);
  client.duplicate = (...args: unknown[]) => withCopies(duplicate(...args), visit);
  visit(client);
  return client;
}

/** Ends a client that is open, or that is ready although it was destroyed. */
function destroy(client: RedisClient): void {
  if (client.isOpen || client.isReady) client.destroy();
}

/** The words of an error. A refused connection to a name with several addresses has a code only. */
function wordsOf(error: Error): string {
  // The client's own limit is as long as ours, and may end first.
  if (error instanceof loadPeers().redis.SocketTimeoutError) return SILENT;
  const { errors, code } = error as { errors?: readonly Error[]; code?: string };
  const { replies, errorIndexes } = error as { replies?: readonly Error[]; errorIndexes?: readonly number[] };
  return replies?.[errorIndexes?.[0] ?? 0]?.message ?? (error.message || (errors?.[0]?.message ?? code ?? error.name));
}
