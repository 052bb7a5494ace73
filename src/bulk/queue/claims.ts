import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { parseLine } from '../../journal/records';
import { type OutcomeRecord, readRecord } from '../state/records';

/** The beginning of a claim in the hash; a nonce follows. */
const CLAIM_PREFIX = 'claim:';

/**
 * Claims a batch: 1 if its field now holds this worker's claim. ioredis may send a claim twice, when the connection broke before the
 * response; it is still this worker's claim. Without the field `open` the hash was deleted, or Redis has lost it.
 */
const CLAIM = `
if redis.call('HEXISTS', KEYS[1], 'open') == 0 then return 0 end
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
return redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] and 1 or 0`;

/** Puts an outcome in the place of the claim, and of nothing else. */
const STORE = `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end`;

/** Reads the field of a batch, and revokes a batch that no worker has claimed. A worker that runs renews the lock of its job. */
const INSPECT = `
if redis.call('HEXISTS', KEYS[1], 'open') == 0 then return {'lost', 0} end
local value = redis.call('HGET', KEYS[1], ARGV[1])
if not value then
  value = 'waiting'
  if ARGV[2] == 'revoke' then
    value = 'revoked'
    redis.call('HSET', KEYS[1], ARGV[1], value)
  end
elseif string.sub(value, 1, ${CLAIM_PREFIX.length}) == '${CLAIM_PREFIX}' then
  value = redis.call('EXISTS', KEYS[3]) == 1 and 'under-way' or 'abandoned'
end
return {value, redis.call('EXISTS', KEYS[2])}`;

const claimStates = ['waiting', 'revoked', 'under-way', 'abandoned', 'lost', 'unreadable'] as const;

/**
 * The state of a queued batch, or its outcome:
 * - `waiting`: no worker has claimed it
 * - `revoked`: no worker has claimed it, and no worker can claim it any more
 * - `under-way`: a worker that is running has claimed it
 * - `abandoned`: a worker has claimed it and has ended, or was stopped for long
 * - `lost`: Redis does not know the batch
 * - `unreadable`: something else has written to its field
 */
export type ClaimState = (typeof claimStates)[number] | OutcomeRecord;

/**
 * The claims of workers on the batches of one opening of a journal, and the outcomes: a hash with a field for each batch. Only the
 * worker whose claim is in the field sends the batch. So a job that is run twice, by whatever worker, is sent once. Outcomes are kept
 * here and not in the job, because BullMQ refuses the result of a worker that was stopped for longer than its lock lasts.
 */
export class Claims {
  readonly #redis: Redis;
  readonly #key: string;

  /** @param opening the opening of the journal that queued the batches */
  constructor(redis: Redis, opening: string) {
    this.#redis = redis;
    this.#key = `messaging-bulk:${opening}`;
  }

  /** Allows batches to be claimed. It comes before the first job, so that a missing hash was lost. */
  async allow(queue: string): Promise<void> {
    await this.#redis.hset(this.#key, 'open', queue);
  }

  /** The name of the queue that has the batches; undefined if Redis does not know them. */
  async queue(): Promise<string | undefined> {
    return (await this.#redis.hget(this.#key, 'open')) ?? undefined;
  }

  /** Claims a batch. Undefined means that another worker has claimed it or that it was revoked: it must not be sent. */
  async claim(n: number): Promise<string | undefined> {
    const claim = CLAIM_PREFIX + randomUUID();
    return (await this.#redis.eval(CLAIM, 1, this.#key, n, claim)) === 1 ? claim : undefined;
  }

  async store(claim: string, outcome: OutcomeRecord): Promise<void> {
    await this.#redis.eval(STORE, 1, this.#key, outcome.n, claim, JSON.stringify(outcome));
  }

  /**
   * Finds the state of a batch.
   *
   * @param jobKey the key of its job in Redis
   * @param unclaimed what to do with a batch that no worker has claimed
   */
  async inspect(
    n: number,
    jobKey: string,
    unclaimed: 'revoke' | 'keep',
  ): Promise<{ readonly state: ClaimState; readonly hasJob: boolean }> {
    const keys = [this.#key, jobKey, `${jobKey}:lock`];
    const [value, jobs] = (await this.#redis.eval(INSPECT, 3, ...keys, n, unclaimed)) as [string, number];
    return { state: readState(n, value), hasJob: jobs === 1 };
  }

  /** Deletes the claims: no batch can be claimed any more. */
  async delete(): Promise<void> {
    await this.#redis.del(this.#key);
  }
}

function readState(n: number, value: string): ClaimState {
  const state = claimStates.find((known) => known === value);
  if (state !== undefined) return state;
  const record = parseLine(value, readRecord);
  return record !== undefined && 'n' in record && record.t !== 'intent' && record.n === n ? record : 'unreadable';
}
