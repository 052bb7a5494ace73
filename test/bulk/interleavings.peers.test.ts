import { claimScripts } from '../../src/bulk/queue/claims';
import { testInFull } from '../support/loops';
import { type Rules, type Scripts, walkAll } from './interleavings';
import { shareRedis } from './queue-support';

const shared = shareRedis();

/** Replaces a part of a script. */
function changed(name: keyof Scripts, part: string, by: string): Scripts {
  expect(claimScripts[name]).toContain(part);
  return { ...claimScripts, [name]: claimScripts[name].replace(part, () => by) };
}

test('in all interleavings nothing is sent twice, nothing untrue is written, and each batch can be decided', async () => {
  const { problems, states, paths } = await walkAll(shared.redis, claimScripts);
  expect(problems).toEqual(new Map());
  expect(states).toBeGreaterThan(10_000);
  expect(paths).toBeGreaterThan(states);
  if (process.env.MESSAGING_LOOPS) console.log({ states, paths });
});

const GIVEN_UP = `string.match(value or '', '^given%-up:([^:]*):([^:]*):(%d+)$')`;

// Each of these is one of the rules of the table in src/bulk/queue/claims.ts. Before a release, this shows that the test
// above finds what it looks for.
testInFull.each<[string, () => { readonly of?: Scripts; readonly rules?: Rules }]>([
  [
    'a batch that was given up is not claimed',
    () => ({
      of: changed(
        'CLAIM',
        'local holder, _, known = claimOf(value)',
        `local holder, _, known = claimOf(value)\nif not holder then holder, _, known = ${GIVEN_UP} end`,
      ),
    }),
  ],
  [
    'a claim that was given up is not renewed',
    () => ({
      of: changed(
        'RENEW',
        "local holder, mark, tick = claimOf(value or '')",
        `local holder, mark, tick = claimOf(value or '')\nif not holder then holder, mark, tick = ${GIVEN_UP} end`,
      ),
    }),
  ],
  [
    'the release of a batch that was given up revokes it',
    () => ({
      of: changed(
        'RELEASE',
        "redis.call('HSET', KEYS[1], n, 'revoked') end",
        "redis.call('HDEL', KEYS[1], n); return 'released' end",
      ),
    }),
  ],
  [
    'only a lease that is over is given up',
    () => ({ of: changed('COLLECT', "if not isOver(untilMs, leaseOf(KEYS[1])) then return 'under-way' end", '') }),
  ],
  [
    'a batch is given up in Redis first',
    () => ({
      of: changed(
        'COLLECT',
        "redis.call('HSET', KEYS[1], n, value)\nredis.call('ZREM', KEYS[2], n .. ':' .. rows)",
        '',
      ),
    }),
  ],
  [
    'a revoked batch is not claimed',
    () => ({ of: changed('CLAIM', 'if value then', "if value == 'revoked' then value = false end\nif value then") }),
  ],
  [
    'only its holder has a claim',
    () => ({
      of: changed(
        'CLAIM',
        'local holder, _, known = claimOf(value)',
        'local holder, _, known, untilMs = claimOf(value)\nif holder and isOver(untilMs, 30000) then holder = name end',
      ),
    }),
  ],
  ['a request does not begin after the end of its lease', () => ({ rules: { beginsLate: true } })],
  ['a collector copies what an earlier one has decided', () => ({ rules: { copiesNothing: true } })],
])('it is needed that %s', async (_, change) => {
  const { of = claimScripts, rules } = change();
  const { problems } = await walkAll(shared.redis, of, rules);
  expect(problems.size).toBeGreaterThan(0);
});
