import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type OutcomeRecord, parseRecord } from '../journal/records';

/** How a claim begins in the hash; a nonce follows. */
const CLAIM = 'claim:';

/**
 * Takes a batch: true if its field now holds this worker's claim. A claim that ioredis sends twice, because the connection broke
 * before the answer, is still this worker's. Without the field `open` the hash was deleted, or Redis has lost it.
 */
const TAKE = `
if redis.call('HEXISTS', KEYS[1], 'open') == 0 then return 0 end
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
return redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] and 1 or 0`;

/** Puts an outcome in the place of the claim, and of nothing else. */
const STORE = `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end`;

/** Reads a batch's field, and revokes the batch if nobody has claimed it. A worker that lives renews the lock of its job. */
const SETTLE = `
if redis.call('HEXISTS', KEYS[1], 'open') == 0 then return {'lost', 0} end
local value = redis.call('HGET', KEYS[1], ARGV[1])
if not value then
  value = 'waiting'
  if ARGV[2] == 'revoke' then
    value = 'revoked'
    redis.call('HSET', KEYS[1], ARGV[1], value)
  end
elseif string.sub(value, 1, ${CLAIM.length}) == '${CLAIM}' then
  value = redis.call('EXISTS', KEYS[3]) == 1 and 'under way' or 'abandoned'
end
return {value, redis.call('EXISTS', KEYS[2])}`;

/**
 * Where a queued batch stands:
 * - `waiting`: no worker has claimed it
 * - `revoked`: no worker has claimed it, and none can any more
 * - `under way`: a worker that lives has claimed it
 * - `abandoned`: a worker has claimed it and has ended, or was stopped for long
 * - `lost`: Redis does not know of it
 * - `unreadable`: something else has written to its field
 */
export type Standing = 'waiting' | 'revoked' | 'under way' | 'abandoned' | 'lost' | 'unreadable' | OutcomeRecord;

/**
 * Who may send the batches of an enqueuing, and what became of them: a hash with a field for each batch. Only who has put its
 * claim there sends the batch, so that a job that is run twice, by whatever worker, is sent once. Outcomes are kept here and not
 * in the job, since BullMQ refuses the result of a worker that was stopped for longer than its lock lasts.
 */
export class Claims {
  readonly #redis: Redis;
  readonly #key: string;

  /** @param run names the opening of the journal that queued the batches */
  constructor(redis: Redis, run: string) {
    this.#redis = redis;
    this.#key = `messaging-bulk:${run}`;
  }

  /** Lets batches be claimed. Before the first job is added: a hash that is missing later was lost. */
  async open(queue: string): Promise<void> {
    await this.#redis.hset(this.#key, 'open', queue);
  }

  /** The queue that the batches were put in, or undefined if Redis does not know of them. */
  async queue(): Promise<string | undefined> {
    return (await this.#redis.hget(this.#key, 'open')) ?? undefined;
  }

  /** Claims a batch. Gives the claim, or undefined if it is another's or was revoked: then it must not be sent. */
  async take(n: number): Promise<string | undefined> {
    const claim = CLAIM + randomUUID();
    return (await this.#redis.eval(TAKE, 1, this.#key, n, claim)) === 1 ? claim : undefined;
  }

  async store(claim: string, outcome: OutcomeRecord): Promise<void> {
    await this.#redis.eval(STORE, 1, this.#key, outcome.n, claim, JSON.stringify(outcome));
  }

  /**
   * Where a batch stands, after revoking it if nobody has claimed it.
   *
   * @param jobKey the key of its job in Redis
   */
  async settle(
    n: number,
    jobKey: string,
    revoke: boolean,
  ): Promise<{ readonly standing: Standing; readonly hasJob: boolean }> {
    const keys = [this.#key, jobKey, `${jobKey}:lock`];
    const reply = await this.#redis.eval(SETTLE, 3, ...keys, n, revoke ? 'revoke' : 'keep');
    const [value, jobs] = reply as [string, number];
    return { standing: readStanding(n, value), hasJob: jobs === 1 };
  }

  /** Ends it: no batch can be claimed any more. */
  async delete(): Promise<void> {
    await this.#redis.del(this.#key);
  }
}

const words: readonly string[] = ['waiting', 'revoked', 'under way', 'abandoned', 'lost'] satisfies Standing[];
const outcomes: readonly string[] = ['sent', 'not-sent', 'rejected', 'unknown'] satisfies OutcomeRecord['t'][];

function readStanding(n: number, value: string): Standing {
  if (words.includes(value)) return value as Standing;
  const record = parseRecord(value);
  return record !== undefined && outcomes.includes(record.t) && (record as OutcomeRecord).n === n
    ? (record as OutcomeRecord)
    : 'unreadable';
}
