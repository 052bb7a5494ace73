import type { Redis } from 'ioredis';
import { wait } from '../../internal/timers';

/**
 * Reserves a slot as sending/rate-limiter.ts does, on the clock of Redis and for all workers of a queue. The result is the number of
 * microseconds until the slot begins, below zero if none was reserved because it is too far ahead. Lua would write a large number
 * with 14 digits.
 */
const RESERVE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local planned = tonumber(redis.call('GET', KEYS[1]) or now)
local start = math.max(planned, now - 200000)
local wait = math.max(0, start - now)
if wait > tonumber(ARGV[2]) then return -wait end
local next = start + tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil(math.max(0, next - now) / 1000) + 1000)
return wait`;

/** A slot is lost when its worker ends, so none is reserved further ahead. */
const AHEAD_MS = 1000;

/** The longest slot, in microseconds: 31 years. Redis refuses larger numbers. */
const MAX_SLOT = 1e15;

/** Spreads the rows of all workers of a queue evenly over time. */
export class SharedRateLimiter {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #microsecondsPerRow: number;

  /** @param rowsPerSecond Infinity for no limit */
  constructor(redis: Redis, queue: string, rowsPerSecond: number) {
    this.#redis = redis;
    this.#key = `messaging-bulk:rate:${queue}`;
    this.#microsecondsPerRow = 1_000_000 / rowsPerSecond;
  }

  /** Waits until a slot for some rows begins, or the signal is aborted. */
  async waitForSlot(rows: number, signal: AbortSignal): Promise<void> {
    const length = Math.min(rows * this.#microsecondsPerRow, MAX_SLOT);
    if (length === 0) return;
    while (!signal.aborted) {
      const reply = Number(await this.#redis.eval(RESERVE, 1, this.#key, length, AHEAD_MS * 1000));
      const waitMs = reply < 0 ? -reply / 1000 - AHEAD_MS : reply / 1000;
      await wait(waitMs, signal).catch(() => undefined);
      if (reply >= 0) return;
    }
  }
}
