import { type Signal, wait } from '../../internal/signals';
import { wrongOption } from '../../options/table';
import type { RedisConnection } from './redis';

/**
 * Plans a slot for some rows, on the clock of Redis and for all workers of a queue. The sorted set has the slots of the
 * last second: the member is the beginning of a slot in microseconds and its rows, and the score is the number of rows
 * before it. A slot begins when the slot before it has ended and no second has more rows than the rate. The result is
 * the number of microseconds until it begins, below zero if none was planned because it is too far ahead. A slot that
 * is further ahead than any worker plans was planned before the clock was set back. Lua would write a large number with
 * 14 digits.
 */
const PLAN = `
local rows, rate, lead, ahead = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local start, total = now + lead, 0
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
if last[1] then
  local slot, length = string.match(last[1], '(%d+):(%d+)')
  if slot - now > 2 * ahead then
    redis.call('DEL', KEYS[1])
    start = now + ahead
  else
    total = last[2] + length
    start = math.max(start, slot + math.ceil(length * 1000000 / rate))
    local limit = math.max(math.floor(rate), 1)
    local full = redis.call('ZREVRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', total + rows - limit), '-inf', 'LIMIT', 0, 1)
    if full[1] then start = math.max(start, string.match(full[1], '%d+') + 1000000) end
  end
end
local wait = start - now
if wait > ahead + lead then return string.format('%.0f', -wait) end
redis.call('ZADD', KEYS[1], string.format('%.0f', total), string.format('%.0f:%d', start, rows))
if redis.call('ZCARD', KEYS[1]) > 2 * rate + 2 then redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -math.ceil(rate) - 2) end
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.min(1e12, (wait + rows * 1000000 / rate) / 1000 + 2000)))
return string.format('%.0f', wait)`;

/** The longest time that a slot is planned ahead: it is lost when its worker ends. */
const AHEAD_MS = 1000;

/**
 * A slot that was not used for this time is void. So a machine that stood still does not send what it missed all at
 * once.
 */
const VOID_MS = 50;

/** The longest pause before Redis is asked again, because its clock may be set back meanwhile. */
const MAX_PAUSE_MS = 5000;

/** One row in 31 years. Redis does not count further. */
const MIN_RATE = 1e-9;

/** A permission to start some rows. */
export interface RateSlot {
  readonly rows: number;
  /** Waits until the slot begins. Resolves with false when it is too late to use it. */
  begin(signal: Signal): Promise<boolean>;
}

/** Spreads the rows of all workers of a queue evenly over time. */
export class SharedRateLimiter {
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #rowsPerSecond: number;
  /** The time between the return of the last slot and its use, in milliseconds. */
  #leadMs = 0;

  constructor(connection: RedisConnection, queue: string, rowsPerSecond: number) {
    this.#connection = connection;
    this.#key = `messaging-bulk:rate:${queue}`;
    this.#rowsPerSecond = Math.max(rowsPerSecond, MIN_RATE);
  }

  /**
   * Waits until a slot for some rows is near, by the time that the last slot was held before its use. Resolves with
   * undefined when the signal is aborted.
   *
   * @throws {ConfigurationError} for more rows than may start in a second; {RedisError}
   */
  async reserve(rows: number, signal: Signal): Promise<RateSlot | undefined> {
    if (rows > Math.max(this.#rowsPerSecond, 1))
      throw wrongOption('rowsPerSecond', `a batch has ${rows} rows, which is more than may start in a second`);
    while (!signal.aborted) {
      const [asked, leadMs] = [performance.now(), this.#leadMs];
      const numbers = [rows, this.#rowsPerSecond, Math.ceil(leadMs * 1000), AHEAD_MS * 1000];
      const plan = { keys: [this.#key], arguments: numbers.map(String) };
      const waitMs = Number(await this.#connection.attempt(() => this.#connection.redis.eval(PLAN, plan))) / 1000;
      const pauseMs =
        waitMs < 0 ? Math.min(-waitMs - AHEAD_MS, MAX_PAUSE_MS) : asked + waitMs - leadMs - performance.now();
      await wait(pauseMs, signal).catch(() => undefined);
      if (waitMs < 0) continue;
      const [reserved, start] = [performance.now(), asked + waitMs];
      const begin = async (until: Signal) => {
        this.#leadMs = Math.min(performance.now() - reserved, AHEAD_MS);
        await wait(start - performance.now(), until).catch(() => undefined);
        return performance.now() <= start + VOID_MS;
      };
      return { rows, begin };
    }
    return undefined;
  }
}
