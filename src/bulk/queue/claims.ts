import { randomUUID } from 'node:crypto';
import type { QueuedBatch } from '../state/bulk-state';
import { rowsIn } from '../state/records';
import type { RedisConnection } from './redis';
import { RedisError } from './redis-error';

// A batch of a queue has a value in the hash of its opening, from `enqueue` until its outcome is in the journal:
//
//   value                              meaning                        who may write another value
//   none                               waits                          a worker: claim; collect --take-back: revoked
//   claim:NAME:MARK:TICK:UNTIL         a worker may be sending it     its worker: done, none, and a later UNTIL;
//                                                                     collect --take-back after UNTIL: given-up
//   given-up:NAME:MARK:TICK            its rows are unknown           its worker: done, and revoked if it sent nothing
//   revoked                            nobody sends it                nobody
//   done:TICK:TICK:MARK:OUTCOME        its worker has an outcome      nobody
//
// NAME is of one claim, MARK says with which account it is sent, TICK is its place in the order of all claims and
// outcomes of the opening, and UNTIL is the end of the lease in milliseconds of Redis' clock. Each script reads the
// value, decides, writes, and says what happened. A script may run twice, because its first reply was lost.

/** The shortest lease of a claim, in milliseconds. */
const MIN_LEASE_MS = 30_000;
/** The time between the last moment at which a request may begin and the end of its lease, in milliseconds. */
const SAFETY_MS = 10_000;
/** The time between two renewals, in milliseconds. */
export const RENEW_MS = MIN_LEASE_MS / 3;

/** The time for which Redis knows that all batches have an outcome, in seconds: workers may still hold their jobs. */
const CLOSED_SECONDS = 3600;
/** The time for which the outcome of a silent worker has a place in Redis after all others have come, in seconds. */
const LATE_SECONDS = 86_400;
/** The time in which replicas must have what was decided, in milliseconds. */
const REPLICATION_MS = 1000;

const NOW = `local time = redis.call('TIME'); local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Without the field `open`, all batches have an outcome in the journal, the hash was deleted, or Redis has lost it. */
const IS_OPEN = `redis.call('HEXISTS', KEYS[1], 'open') == 1`;

/** The parts of a claim, and whether its lease is over. A lease that ends far ahead is older than a clock set back. */
const LEASE = `
${NOW}
local function isOver(untilMs, leaseMs)
  local left = tonumber(untilMs) - now
  return left <= 0 or left > 2 * tonumber(leaseMs)
end
local function leaseOf(hash) return redis.call('HGET', hash, 'lease') end
local function claimOf(value) return string.match(value, '^claim:([^:]*):([^:]*):(%d+):(%d+)$') end`;

/**
 * Counts the rows of a claim: in each second at most as many are claimed as the rate, spread over the second. A rate
 * below one row a second has a longer window. When the rows would be too many, it says how long to wait, in
 * microseconds.
 */
const COUNT = `
local rate = tonumber(ARGV[5])
if rate then
  local size, limit = math.max(1, 1 / rate) * 1000000, math.max(1, math.floor(rate))
  local micros = time[1] * 1000000 + time[2]
  local window = string.format('%.0f', math.floor(micros / size))
  local seen = redis.call('HMGET', KEYS[3], 'window', 'rows')
  local used = seen[1] == window and tonumber(seen[2]) or 0
  local from = used + rows > limit and size or used * size / limit
  if micros % size < from then return 'wait:' .. string.format('%.0f', from - micros % size) end
  redis.call('HSET', KEYS[3], 'window', window, 'rows', used + rows)
  redis.call('PEXPIRE', KEYS[3], string.format('%.0f', math.min(1e12, size / 500)))
end`;

/** Writes a claim whose lease begins now. The sorted set has the claimed batches by the ends of their leases. */
const LEND = `
local untilMs = string.format('%.0f', now + leaseOf(KEYS[1]))
redis.call('HSET', KEYS[1], n, table.concat({'claim', name, mark, tick, untilMs}, ':'))
redis.call('ZADD', KEYS[2], untilMs, n .. ':' .. rows)`;

/** Claims a batch that waits. A claim that is sent again is still this one, and is counted once. */
const CLAIM = `
if not (${IS_OPEN}) then return redis.call('HEXISTS', KEYS[1], 'closed') == 1 and 'taken' or 'lost' end
local n, name, mark, rows = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local value = redis.call('HGET', KEYS[1], n)
${LEASE}
local tick
if value then
  local holder, _, known = claimOf(value)
  if holder ~= name then return 'taken' end
  tick = known
else
  ${COUNT}
  tick = redis.call('HINCRBY', KEYS[1], 'tick', 1)
  redis.call('HINCRBY', KEYS[1], 'held', rows)
end
${LEND}
return 'claimed:' .. tick`;

/** Makes the lease of a claim longer. */
const RENEW = `
if not (${IS_OPEN}) then return 'lost' end
local n, name, rows = ARGV[1], ARGV[2], ARGV[3]
local value = redis.call('HGET', KEYS[1], n)
${LEASE}
local holder, mark, tick = claimOf(value or '')
if holder ~= name then return 'taken' end
${LEND}
return 'claimed'`;

/** Gives back a batch of which nothing was sent. One that has no value was given back, and the reply was lost. */
const RELEASE = `
if not (${IS_OPEN}) then return 'lost' end
local n, name, rows = ARGV[1], ARGV[2], ARGV[3]
local value = redis.call('HGET', KEYS[1], n)
if not value then return 'released' end
if string.match(value, '^claim:([^:]*):') == name then
  redis.call('HDEL', KEYS[1], n)
  redis.call('ZREM', KEYS[2], n .. ':' .. rows)
  redis.call('HINCRBY', KEYS[1], 'held', -rows)
  return 'released'
end
if string.match(value, '^given%-up:([^:]*):') == name then redis.call('HSET', KEYS[1], n, 'revoked') end
return 'taken'`;

/** Stores an outcome in the place of its claim, also after the batch was given up. */
const STORE = `
if not (${IS_OPEN}) then return 'lost' end
local n, name, tick, rows, outcome = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local value = redis.call('HGET', KEYS[1], n) or ''
local known = string.match(value, '^done:' .. tick .. ':(%d+):')
if known then return 'stored:' .. known end
local holder, mark = string.match(value, '^claim:([^:]*):([^:]*):')
if not holder then holder, mark = string.match(value, '^given%-up:([^:]*):([^:]*):') end
if holder ~= name then return 'taken' end
local last = redis.call('HINCRBY', KEYS[1], 'tick', 1)
redis.call('HSET', KEYS[1], n, table.concat({'done', tick, last, mark, outcome}, ':'))
redis.call('ZREM', KEYS[2], n .. ':' .. rows)
return 'stored:' .. last`;

/**
 * Reads the value of a batch; `queued`, `under-way` and `silent` are the replies for a batch without an outcome. To
 * take back is to revoke what waits, and to give up what a silent worker has.
 */
const COLLECT = `
if not (${IS_OPEN}) then return 'lost' end
local n, rows, takesBack = ARGV[1], ARGV[2], ARGV[3] == 'take back'
local value = redis.call('HGET', KEYS[1], n)
if not value then
  if not takesBack then return 'queued' end
  redis.call('HSET', KEYS[1], n, 'revoked')
  redis.call('HINCRBY', KEYS[1], 'held', rows)
  return 'revoked'
end
${LEASE}
local name, mark, tick, untilMs = claimOf(value)
if not name then return value end
if not isOver(untilMs, leaseOf(KEYS[1])) then return 'under-way' end
if not takesBack then return 'silent' end
value = table.concat({'given-up', name, mark, tick}, ':')
redis.call('HSET', KEYS[1], n, value)
redis.call('ZREM', KEYS[2], n .. ':' .. rows)
return value`;

/** Forgets batches that all have an outcome in the journal. */
const CLOSE = `
if not (${IS_OPEN}) then return end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'closed', 1)
redis.call('EXPIRE', KEYS[1], ${CLOSED_SECONDS})`;

/** Counts the rows of batches with a value, those batches, the claimed rows, and those of them whose lease is over. */
const COUNTS = `
local function counts(hash, claims)
  local leaseMs = leaseOf(hash)
  local held = tonumber(redis.call('HGET', hash, 'held') or 0)
  local batches, claimed, silent = redis.call('HLEN', hash), 0, 0
  for _, field in ipairs({'open', 'tick', 'held', 'rows', 'lease'}) do
    batches = batches - redis.call('HEXISTS', hash, field)
  end
  local found = redis.call('ZRANGE', claims, 0, -1, 'WITHSCORES')
  for index = 1, #found, 2 do
    local rows = tonumber(string.match(found[index], ':(%d+)$'))
    claimed = claimed + rows
    if isOver(found[index + 1], leaseMs) then silent = silent + rows end
  end
  return held, batches, claimed, silent
end`;

const COUNT_OPENING = `
if not (${IS_OPEN}) then return redis.call('EXISTS', KEYS[1]) == 1 and {} or {'lost'} end
${LEASE}
${COUNTS}
local held, batches, claimed, silent = counts(KEYS[1], KEYS[2])
return {held, batches, claimed, silent}`;

/** Counts the waiting and the silent rows of all openings of a queue. */
const COUNT_QUEUE = `
${LEASE}
${COUNTS}
local waiting, late = 0, 0
for _, opening in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local hash = ARGV[1] .. opening
  local known = redis.call('HMGET', hash, 'open', 'rows')
  if known[1] then
    local held, _, _, silent = counts(hash, hash .. ':claims')
    waiting, late = waiting + math.max(0, tonumber(known[2] or 0) - held), late + silent
  end
end
return {waiting, late}`;

/** The scripts that decide about a batch. */
export const claimScripts = { CLAIM, RENEW, RELEASE, STORE, COLLECT } as const;

const PREFIX = 'messaging-bulk:';

function openingsKey(queue: string): string {
  return `${PREFIX}queue:${queue}:openings`;
}

/** The rate of all workers of a queue. */
export interface SharedRate {
  /** The key in Redis that counts rows. */
  readonly key: string;
  readonly rowsPerSecond: number;
}

/** A batch as its claims know it. */
type ClaimableBatch = Pick<QueuedBatch, 'n' | 'range'>;

/** A claim on a batch. */
export interface HeldClaim extends ClaimableBatch {
  readonly name: string;
  /** Its place in the order of the opening. */
  readonly tick: number;
}

/** The knowledge of Redis about the batches of an opening. */
export interface ClaimCounts {
  /** The rows and the number of the batches that have a value. */
  readonly heldRows: number;
  readonly heldBatches: number;
  readonly claimedRows: number;
  /** The rows of claims whose lease is over. */
  readonly silentRows: number;
}

/** The values of the batches that one opening of a journal has queued. */
export class Claims {
  readonly opening: string;
  readonly #connection: RedisConnection;
  readonly #replicas: number;
  /** The greatest tick that Redis has given here. */
  #seenTick = 0;

  /** @param opening the opening of the journal that queued the batches */
  constructor(connection: RedisConnection, opening: string, replicas = 0) {
    this.#connection = connection;
    this.opening = opening;
    this.#replicas = replicas;
  }

  /**
   * Allows batches to be claimed. It comes before the first job, so that a missing hash was lost.
   *
   * @param startWithinMs the time within which a request begins after its claim
   */
  async openFor(queue: string, startWithinMs: number): Promise<void> {
    // A request never begins after the end of its claim.
    const lease = Math.max(MIN_LEASE_MS, startWithinMs + SAFETY_MS);
    await this.#connection.attempt(async () => {
      const { redis } = this.#connection;
      await redis.hSet(this.#key, { open: queue, lease });
      await redis.sAdd(openingsKey(queue), this.opening);
      await this.replicate();
    });
  }

  /** Records the number of all rows of the opening, for the counts of its queue. */
  async countRows(rows: number): Promise<void> {
    await this.#connection.attempt(() => this.#connection.redis.hSet(this.#key, 'rows', rows));
  }

  /**
   * Claims a batch. A claim that too few replicas have is released, and tried again.
   *
   * @param mark of the account with which the batch is sent; empty when it is not known
   * @returns `taken` for a batch that must not be sent, and `lost` when Redis knows no claims of the opening; the
   * milliseconds to wait when the rate does not allow it yet
   * @throws {RedisError} when Redis has forgotten claims
   */
  async claim(batch: ClaimableBatch, mark: string, rate?: SharedRate): Promise<HeldClaim | 'taken' | 'lost' | number> {
    const { n, range } = batch;
    const rows = rowsIn(range);
    const seen = this.#seenTick;
    const rated = rate ? [rate.rowsPerSecond] : [];
    let name: string = randomUUID();
    const [reply = '', value] = await this.#connection.attempt(async () => {
      const claimed = String(await this.#evaluate(CLAIM, [n, name, mark, rows, ...rated], rate?.key));
      if (claimed.startsWith('claimed'))
        await this.replicate().catch(async (error) => {
          // Its release may be executed late, and must not release the next one.
          const before = name;
          name = randomUUID();
          await this.#evaluate(RELEASE, [n, before, rows]);
          throw error;
        });
      return claimed.split(':');
    });
    if (reply === 'taken' || reply === 'lost') return reply;
    if (reply === 'wait') return Number(value) / 1000;
    const tick = Number(value);
    if (tick <= seen) {
      // The batch stays claimed: what Redis has forgotten may be that it was sent.
      const why = 'so nothing more is sent: it was restored from an earlier state';
      throw new RedisError(`Redis has forgotten claims of the rows that were queued as ${this.opening}, ${why}`);
    }
    this.#seenTick = Math.max(this.#seenTick, tick);
    return { n, range, name, tick };
  }

  /** Keeps a claim for as long as a new one, unless it was given up or given back meanwhile. */
  async renew({ n, name, range }: HeldClaim): Promise<void> {
    await this.#connection.attempt(() => this.#evaluate(RENEW, [n, name, rowsIn(range)]));
  }

  /** Gives back a batch of which nothing was sent. Resolves with false when it must not be sent any more. */
  async release({ n, name, range }: HeldClaim): Promise<boolean> {
    const reply = await this.#connection.attempt(() => this.#evaluate(RELEASE, [n, name, rowsIn(range)]));
    return reply === 'released';
  }

  /** Stores the outcome of a batch. Resolves with false when it has no place in Redis any more. */
  async store({ n, name, tick, range }: HeldClaim, outcome: object): Promise<boolean> {
    const args = [n, name, tick, rowsIn(range), JSON.stringify(outcome)];
    const [reply, last] = String(await this.#connection.attempt(() => this.#evaluate(STORE, args))).split(':');
    this.#seenTick = Math.max(this.#seenTick, Number(last ?? 0));
    return reply === 'stored';
  }

  /**
   * Reads the values of batches. With `takesBack`, those that wait are revoked, and those of silent workers are given
   * up, before the values are read; replicas have these decisions.
   */
  async collect(batches: readonly ClaimableBatch[], takesBack: boolean): Promise<readonly string[]> {
    const how = takesBack ? 'take back' : 'read';
    return this.#connection.attempt(async () => {
      const read = ({ n, range }: ClaimableBatch) => this.#evaluate(COLLECT, [n, rowsIn(range), how]);
      const values = (await Promise.all(batches.map(read))).map(String);
      // A failover that forgets a decision would let a worker send what the journal calls pending or unknown.
      if (takesBack) await this.replicate();
      return values;
    });
  }

  /** Counts the batches; `lost` when Redis does not know them, undefined when they all have an outcome. */
  async count(): Promise<ClaimCounts | 'lost' | undefined> {
    const counts = (await this.#connection.attempt(() => this.#evaluate(COUNT_OPENING, []))) as (number | string)[];
    const [held, batches, claimed, silent] = counts;
    if (held === undefined || held === 'lost') return held;
    return {
      heldRows: Number(held),
      heldBatches: Number(batches),
      claimedRows: Number(claimed),
      silentRows: Number(silent),
    };
  }

  /**
   * Ends the claims when all batches have an outcome in the journal: no batch can be claimed any more.
   *
   * @param isAwaited true when the outcome of a silent worker may still come
   */
  async close(isAwaited: boolean, queue: string | undefined): Promise<void> {
    await this.#connection.attempt(async () => {
      const { redis } = this.#connection;
      if (queue !== undefined) await redis.sRem(openingsKey(queue), this.opening);
      if (!isAwaited) await this.#evaluate(CLOSE, []);
      else for (const key of [this.#key, this.#claimsKey]) await redis.expire(key, LATE_SECONDS);
    });
  }

  get #key(): string {
    return PREFIX + this.opening;
  }

  get #claimsKey(): string {
    return `${this.#key}:claims`;
  }

  #evaluate(script: string, args: readonly (string | number)[], rateKey?: string): Promise<unknown> {
    const keys = [this.#key, this.#claimsKey, ...(rateKey === undefined ? [] : [rateKey])];
    return this.#connection.redis.eval(script, { keys, arguments: args.map(String) });
  }

  /** Waits until the replicas have what was written. */
  async replicate(): Promise<void> {
    if (this.#replicas === 0) return;
    const count = await this.#connection.redis.wait(this.#replicas, REPLICATION_MS);
    if (count < this.#replicas) throw new Error(`only ${count} of ${this.#replicas} replicas have what was written`);
  }
}

/** Counts the rows of a queue that wait, and those whose workers are silent. It asks once. */
export async function countQueue({ redis }: RedisConnection, queue: string) {
  const counts = await redis.eval(COUNT_QUEUE, { keys: [openingsKey(queue)], arguments: [PREFIX] });
  const [waiting = 0, silent = 0] = counts as number[];
  return { waiting, silent };
}
