import { randomUUID } from 'node:crypto';
import { ConfigurationError } from '../../errors';
import { parseLine } from '../../journal/records';
import type { QueuedBatch } from '../state/bulk-state';
import { type OutcomeRecord, readRecord } from '../state/records';
import type { RedisConnection } from './redis';
import { RedisError } from './redis-error';

/** The beginning of a claim in the hash; a nonce and the end of the lease follow. */
const CLAIM_PREFIX = 'claim:';

/** The time for which a claim holds unless it is renewed, in milliseconds of Redis' clock. */
const LEASE_MS = 30_000;
/** The time between two renewals, in milliseconds. */
export const RENEW_MS = LEASE_MS / 3;

/** The time for which Redis knows that all batches have an outcome, in seconds: workers may still hold their jobs. */
const CLOSED_SECONDS = 3600;

/** The time for which the outcome of a silent worker has a place in Redis after all others have come, in seconds. */
const LATE_SECONDS = 86_400;

/** The time in which replicas must have a claim, in milliseconds. */
const REPLICATION_MS = 1000;

const NOW = `local time = redis.call('TIME'); local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * Counts the rows of a claim: in each second at most as many are claimed as the rate, spread over the second. A rate
 * below one row a second has a longer window. When the rows would be too many, it says how long to wait, in
 * microseconds.
 */
const COUNT = `
local rows, rate = tonumber(ARGV[4]), tonumber(ARGV[5])
if rate then
  local size, limit = math.max(1, 1 / rate) * 1000000, math.max(1, math.floor(rate))
  local micros = time[1] * 1000000 + time[2]
  local window = string.format('%.0f', math.floor(micros / size))
  local seen = redis.call('HMGET', KEYS[2], 'window', 'rows')
  local used = seen[1] == window and tonumber(seen[2]) or 0
  local from = used + rows > limit and size or used * size / limit
  if micros % size < from then return 'wait:' .. string.format('%.0f', from - micros % size) end
  redis.call('HSET', KEYS[2], 'window', window, 'rows', used + rows)
  redis.call('PEXPIRE', KEYS[2], string.format('%.0f', math.min(1e12, size / 500)))
end`;

/**
 * Claims a batch, or renews the lease of a claim that was not released. A claim may be sent twice, when the connection
 * broke before the reply; it is still this worker's claim, and is counted once. Without the field `open` the hash was
 * deleted, or Redis has lost it.
 */
const CLAIM = `
if redis.call('HEXISTS', KEYS[1], 'open') == 0 then
  return redis.call('HEXISTS', KEYS[1], 'closed') == 1 and 'taken' or 'lost'
end
local value = redis.call('HGET', KEYS[1], ARGV[1])
if value and string.sub(value, 1, #ARGV[2]) ~= ARGV[2] then return 'taken' end
if not value and ARGV[3] == 'renew' then return 'taken' end
${NOW}
if not value then
${COUNT}
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ':' .. string.format('%.0f', now + ${LEASE_MS}))
return 'claimed'`;

/** Puts an outcome in the place of the claim, and of nothing else; an empty outcome removes the claim. */
const STORE = `
local value = redis.call('HGET', KEYS[1], ARGV[1])
if not value or string.sub(value, 1, #ARGV[2]) ~= ARGV[2] then return end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end`;

type Stage = 'waiting' | 'claimed' | 'silent' | 'done';

/** Tells the stage of a batch. A lease that ends far ahead was given before the clock of Redis was set back. */
const STAGE = `
${NOW}
local function stage(value)
  if not value then return 'waiting' end
  if string.sub(value, 1, ${CLAIM_PREFIX.length}) ~= '${CLAIM_PREFIX}' then return 'done' end
  local left = tonumber(string.match(value, ':(%d+)$') or 0) - now
  return left > 0 and left <= ${2 * LEASE_MS} and 'claimed' or 'silent'
end`;

/** The stages of batches, for a reader that changes nothing. */
const PROGRESS = `
${STAGE}
local stages = {}
for index, value in ipairs(redis.call('HMGET', KEYS[1], unpack(ARGV))) do stages[index] = stage(value) end
return stages`;

/**
 * Reads the outcome of a batch. Revokes a batch that no worker has claimed, when it is told to: no worker can claim it
 * any more.
 */
const COLLECT = `
${STAGE}
if redis.call('HEXISTS', KEYS[1], 'open') == 0 then return 'lost' end
local value = redis.call('HGET', KEYS[1], ARGV[1])
if not value then
  if ARGV[2] ~= 'take back' then return 'queued' end
  redis.call('HSET', KEYS[1], ARGV[1], 'revoked')
  return 'revoked'
end
local current = stage(value)
if current == 'done' then return value end
return current == 'claimed' and 'under-way' or 'abandoned'`;

/** Deletes the hash of batches that all have an outcome. */
const CLOSE = `
if redis.call('HEXISTS', KEYS[1], 'open') == 0 then return end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'closed', 1)
redis.call('EXPIRE', KEYS[1], ${CLOSED_SECONDS})`;

/** The rate of all workers of a queue. */
export interface SharedRate {
  /** The key in Redis that counts rows. */
  readonly key: string;
  readonly rowsPerSecond: number;
  /** The rows of the batch that is claimed. */
  readonly rows: number;
}

/** Makes the name of a claim, which no other claim has. */
export function newClaim(): string {
  return CLAIM_PREFIX + randomUUID();
}

/**
 * The claims of workers on the batches of one opening of a journal, and the outcomes: a hash with a field for each
 * batch. Only the worker whose claim is in the field sends the batch. So a job that is run twice, by whatever worker,
 * is sent once. Outcomes are kept here and not in the job, because a job ends with its claim.
 */
export class Claims {
  readonly #connection: RedisConnection;
  readonly #opening: string;
  readonly #replicas: number;

  /** @param opening the opening of the journal that queued the batches */
  constructor(connection: RedisConnection, opening: string, replicas = 0) {
    this.#connection = connection;
    this.#opening = opening;
    this.#replicas = replicas;
  }

  /** Allows batches to be claimed. It comes before the first job, so that a missing hash was lost. */
  async openFor(queue: string): Promise<void> {
    await this.#connection.attempt(async () => {
      await this.#connection.redis.hSet(this.#key, 'open', queue);
      await this.#replicate();
    });
  }

  /** The name of the queue that has the batches; null if Redis does not know them. */
  queue(): Promise<string | null> {
    return this.#connection.attempt(() => this.#connection.redis.hGet(this.#key, 'open'));
  }

  /**
   * Claims a batch. A claim that too few replicas have is released, and tried again.
   *
   * @param rate the rows of the batch, and the rate that they have to keep with those of all workers
   * @returns `taken` for a batch that must not be sent; the milliseconds to wait when the rate does not allow it yet
   * @throws {RedisError} when Redis does not know the claims
   */
  async claim(n: number, claim: string, rate?: SharedRate): Promise<'claimed' | 'taken' | number> {
    const counted = rate ? [rate.rows, rate.rowsPerSecond] : [];
    const result = await this.#connection.attempt(async () => {
      const claimed = String(await this.#evaluate(CLAIM, [n, claim, 'new', ...counted], rate?.key));
      const release = async (error: unknown) => {
        await this.#evaluate(STORE, [n, claim, '']);
        throw error;
      };
      if (claimed === 'claimed') await this.#replicate().catch(release);
      return claimed;
    });
    if (result === 'claimed' || result === 'taken') return result;
    if (result.startsWith('wait:')) return Number(result.slice('wait:'.length)) / 1000;
    const why = 'so they are not sent: it has lost them, or they were deleted';
    throw new RedisError(`Redis does not know the claims of the rows that were queued as ${this.#opening}, ${why}`);
  }

  /** Keeps a claim for as long as a new one. A claim that was released in the meantime stays released. */
  async renew(n: number, claim: string): Promise<void> {
    await this.#connection.attempt(() => this.#evaluate(CLAIM, [n, claim, 'renew']));
  }

  /** Puts the outcome of a batch in the place of its claim. Without an outcome, it takes the claim back. */
  async settle(n: number, claim: string, outcome?: OutcomeRecord): Promise<void> {
    const text = outcome ? JSON.stringify(outcome) : '';
    await this.#connection.attempt(() => this.#evaluate(STORE, [n, claim, text]));
  }

  /**
   * Reads the outcomes of batches. Leaves out batches that are in the queue or that a running worker has claimed.
   *
   * @param how.takeBack revokes the batches that no worker has claimed, and gives up those of silent workers
   * @param how.acceptLoss makes batches unknown that Redis does not know
   * @returns the outcomes, and the batches of silent workers, which were left out
   * @throws {ConfigurationError} unless loss is accepted: workers of another Redis may still send these batches
   */
  async collect(
    batches: readonly QueuedBatch[],
    { takeBack, acceptLoss }: { readonly takeBack: boolean; readonly acceptLoss: boolean },
  ): Promise<{ readonly outcomes: readonly OutcomeRecord[]; readonly silent: readonly QueuedBatch[] }> {
    const values = await this.#connection.attempt(async () => {
      const how = takeBack ? 'take back' : 'read';
      const read = await Promise.all(batches.map(({ n }) => this.#evaluate(COLLECT, [n, how])));
      // A revocation that a failover forgets would let a worker send the batch after it was queued again.
      if (read.includes('revoked')) await this.#replicate();
      return read;
    });
    if (values.includes('lost') && !acceptLoss) {
      const message = 'it does not know rows that were queued: give the Redis in which they were queued';
      const loss = 'makes these rows unknown, if Redis has lost them and no worker uses another Redis that has them';
      throw new ConfigurationError({
        problems: [
          { option: 'redis', message },
          { option: 'acceptLoss', message: loss },
        ],
      });
    }
    const outcomes: OutcomeRecord[] = [];
    const silent: QueuedBatch[] = [];
    for (const [index, batch] of batches.entries()) {
      const value = String(values[index]);
      if (value === 'abandoned' && !takeBack) {
        silent.push(batch);
        continue;
      }
      const outcome = readOutcome(batch, value);
      if (outcome) outcomes.push(outcome);
    }
    return { outcomes, silent };
  }

  /** How far each batch is, for a reader that changes nothing. */
  async progress(batches: readonly QueuedBatch[]): Promise<readonly Stage[]> {
    const evaluate = () =>
      this.#evaluate(
        PROGRESS,
        batches.map(({ n }) => n),
      );
    return (await this.#connection.attempt(evaluate)) as readonly Stage[];
  }

  /** Reads the outcomes of silent workers that have come since their batches were given up. */
  async collectLate(batches: readonly QueuedBatch[]): Promise<readonly OutcomeRecord[]> {
    const read = () => Promise.all(batches.map(({ n }) => this.#evaluate(COLLECT, [n, 'read'])));
    const values = (await this.#connection.attempt(read)).map(String);
    return batches.flatMap((batch, index) => {
      const value = values[index] as string;
      return value.startsWith('{') ? (readOutcome(batch, value) ?? []) : [];
    });
  }

  /**
   * Ends the claims when all batches have an outcome or were taken back: no batch can be claimed any more.
   *
   * @param isAwaited true when the outcome of a silent worker may still come
   */
  async close(isAwaited: boolean): Promise<void> {
    await this.#connection.attempt(() =>
      isAwaited ? this.#connection.redis.expire(this.#key, LATE_SECONDS) : this.#evaluate(CLOSE, []),
    );
  }

  get #key(): string {
    return `messaging-bulk:${this.#opening}`;
  }

  #evaluate(script: string, args: readonly (string | number)[], rateKey?: string): Promise<unknown> {
    const keys = [this.#key, ...(rateKey === undefined ? [] : [rateKey])];
    return this.#connection.redis.eval(script, { keys, arguments: args.map(String) });
  }

  /** Waits until the replicas have what was written. */
  async #replicate(): Promise<void> {
    if (this.#replicas === 0) return;
    const count = await this.#connection.redis.wait(this.#replicas, REPLICATION_MS);
    if (count < this.#replicas) throw new Error(`only ${count} of ${this.#replicas} replicas have what was written`);
  }
}

/** Reads the outcome of a batch from what Redis has of it. */
function readOutcome({ n, range: [from, to] }: QueuedBatch, value: string): OutcomeRecord | undefined {
  if (value === 'under-way' || value === 'queued') return undefined;
  if (value === 'revoked') return { t: 'not-sent', n, error: 'revoked' };
  if (value === 'abandoned') return { t: 'unknown', n, error: 'its worker ended', silent: true };
  if (value === 'lost') return { t: 'unknown', n, error: 'lost by Redis', lost: true };
  const record = parseLine(value, readRecord);
  const isOutcome = record !== undefined && 'n' in record && record.t !== 'intent' && record.n === n;
  const isWhole = isOutcome && (record.t !== 'sent' || record.ids.length === to - from + 1);
  return isWhole ? record : { t: 'unknown', n, error: 'its outcome cannot be read' };
}
