import type { claimScripts } from '../../src/bulk/queue/claims';
import { isFull } from '../support/loops';
import type { TestRedis } from './queue-support';

// All ways in which two workers, a collector, an operator who tells the truth, and `run` may act on one batch of a
// queue. Each reply of Redis may be lost, so that the call is made again; a lease may end between any two calls; and a
// worker, or the collector, may be killed. The scripts are run by Redis.

export type Scripts = typeof claimScripts;

/** What else the walk may leave out, beside parts of scripts. */
export interface Rules {
  /** True when a request may begin after the end of its lease. */
  readonly beginsLate?: boolean;
  /** True when a collector that takes nothing back copies no decision of an earlier one. */
  readonly copiesNothing?: boolean;
}

interface WorkerState {
  readonly at: 'idle' | 'took' | 'claiming' | 'releasing' | 'begun' | 'giving back' | 'storing' | 'dead';
  /** The number of its claims. */
  readonly claims: number;
  /** True while its request may begin. */
  readonly mayBegin: boolean;
  /** What becomes of its request. */
  readonly response: 'sent' | '429' | 'lost' | '';
  readonly reply: string;
}

interface World {
  readonly hash: 'open' | 'closed' | 'gone';
  /** The value of the batch, with `live` or `over` in place of the end of a lease; empty for none. */
  readonly value: string;
  readonly hasJob: boolean;
  readonly workers: readonly [WorkerState, WorkerState];
  readonly collector: { readonly reply: string; readonly takesBack: boolean } | null;
  readonly journal: 'queued' | 'given up' | 'unknown' | 'pending' | 'sent';
  /** The number of first bytes that the service got. */
  readonly sent: number;
  readonly kills: number;
  readonly lostReplies: number;
}

const IDLE: WorkerState = { at: 'idle', claims: 0, mayBegin: false, response: '', reply: '' };
const START: World = {
  hash: 'open',
  value: '',
  hasJob: true,
  workers: [IDLE, IDLE],
  collector: null,
  journal: 'queued',
  sent: 0,
  kills: 0,
  lostReplies: 0,
};
const MAX_KILLS = 1;
/** The number of replies that are lost on a way. */
const MAX_LOST = isFull ? 2 : 1;

/**
 * Walks through all states, or up to the first one in which something is wrong. Resolves with what is wrong, and with the
 * numbers of states and of ways between them.
 */
export async function walkAll(redis: TestRedis, of: Scripts, { beginsLate, copiesNothing }: Rules = {}) {
  const run = makeCalls(redis, of);
  const problems = new Map<string, string>();
  const from = new Map<string, { readonly before: string; readonly step: string }>();
  const start = JSON.stringify(START);
  from.set(start, { before: '', step: 'enqueue' });
  const open: World[] = [START];
  let paths = 0;
  for (const world of open) {
    if (problems.size > 0) break;
    const key = JSON.stringify(world);
    const blame = (problem: string, step = '') => {
      if (!problems.has(problem)) problems.set(problem, traceOf(key, step, from));
    };
    const go = (step: string, change: Partial<World>) => {
      paths += 1;
      const next = { ...world, ...change };
      if (next.sent > 1) blame('two first bytes', step);
      const nextKey = JSON.stringify(next);
      if (from.has(nextKey)) return;
      from.set(nextKey, { before: key, step });
      open.push(next);
    };
    for (const index of [0, 1] as const) await workerSteps(world, index, go, blame, run, beginsLate === true);
    await collectorSteps(world, go, blame, run, copiesNothing === true);
    otherSteps(world, go, blame);
    await endsOf(world, blame, run, copiesNothing === true);
  }
  return { problems, states: from.size, paths };
}

type Go = (step: string, change: Partial<World>) => void;
type Blame = (problem: string, step?: string) => void;
type Call = (
  world: Pick<World, 'hash' | 'value'>,
  script: keyof Scripts,
  ...args: string[]
) => Promise<{ readonly reply: string; readonly value: string; readonly hash: World['hash'] }>;

function traceOf(key: string, step: string, from: ReadonlyMap<string, { before: string; step: string }>): string {
  const steps = [step];
  for (let at = from.get(key); at; at = from.get(at.before)) steps.push(at.step);
  return steps.reverse().join(' | ');
}

async function workerSteps(world: World, index: 0 | 1, go: Go, blame: Blame, run: Call, beginsLate: boolean) {
  const own = world.workers[index];
  const { at, claims, response, reply } = own;
  const who = 'AB'[index];
  const name = `${who}${claims}`;
  const tick = String(2 * claims + index);
  const set = (change: Partial<WorkerState>, others: Partial<World> = {}): Partial<World> => ({
    ...others,
    workers: world.workers.map((each, of) => (of === index ? { ...each, ...change } : each)) as never,
  });
  const end = { at: 'idle', reply: '', response: '', mayBegin: false } as const;
  const again = world.lostReplies < MAX_LOST ? { lostReplies: world.lostReplies + 1 } : undefined;
  /** Makes a call, which may be made again when its reply was lost. */
  const call = async (
    words: string,
    next: WorkerState['at'],
    isAgain: boolean,
    ...args: [keyof Scripts, ...string[]]
  ) => {
    if (isAgain && !again) return;
    const { reply: got, ...after } = await run(world, ...args);
    go(
      `${who} ${words}${isAgain ? ' again' : ''}: ${got}`,
      set({ at: next, reply: got }, { ...after, ...(isAgain && again) }),
    );
  };
  const release = (next: WorkerState['at'], isAgain: boolean) => call('releases', next, isAgain, 'RELEASE', name);
  const claim = (isAgain: boolean) =>
    call('claims', 'claiming', isAgain, 'CLAIM', name, String(claims * 2 + index - 1));
  const store = (isAgain: boolean) =>
    call('stores', 'storing', isAgain, 'STORE', name, tick, response === 'sent' ? 'sent' : 'unknown');
  if (at !== 'idle' && at !== 'dead' && world.kills < MAX_KILLS)
    go(
      `${who} is killed`,
      set({ ...IDLE, at: 'dead' }, { kills: world.kills + 1, hasJob: at === 'took' || world.hasJob }),
    );
  if (at === 'idle' && world.hasJob && claims < 2)
    go(`${who} takes the job`, set({ at: 'took', claims: claims + 1, mayBegin: true }, { hasJob: false }));
  if (at === 'took') await claim(false);
  if (at === 'claiming') {
    if (!world.hasJob && again) go('the job goes to the next worker', { hasJob: true, ...again });
    await claim(true);
    if (!reply.startsWith('claimed')) go(`${who} leaves it`, set(end));
    else {
      await release('releasing', false);
      if (own.mayBegin || beginsLate)
        for (const answer of ['sent', '429', 'lost'] as const) {
          if (world.value === 'revoked') blame('a revoked batch is sent', `${who} begins`);
          const sent = world.sent + (answer === '429' ? 0 : 1);
          go(`${who} begins: ${answer}`, set({ at: 'begun', response: answer, reply: '' }, { sent }));
        }
    }
  }
  if (at === 'releasing') {
    await release('releasing', true);
    if (reply === 'released' && claims < 2)
      go(`${who} claims anew`, set({ at: 'took', claims: claims + 1, mayBegin: true, reply: '' }));
    go(`${who} ends`, set(end, reply === 'released' ? { hasJob: true } : {}));
  }
  if (at === 'begun') {
    const renewed = await run(world, 'RENEW', name);
    go(`${who} renews: ${renewed.reply}`, { value: renewed.value });
    if (response === '429') await release('giving back', false);
    else await store(false);
  }
  if (at === 'giving back') {
    await release('giving back', true);
    go(`${who} ends`, set(end, reply === 'released' ? { hasJob: true } : {}));
  }
  if (at === 'storing') {
    await store(true);
    go(`${who} ends`, set(end));
  }
}

async function collectorSteps(world: World, go: Go, blame: Blame, run: Call, copiesNothing: boolean) {
  const { collector, journal, kills, lostReplies } = world;
  const collect = async (takesBack: boolean, more: Partial<World> = {}) => {
    const { reply, ...after } = await run(world, 'COLLECT', takesBack ? 'take back' : 'read');
    go(`collect${takesBack ? ' --take-back' : ''}: ${reply}`, { ...after, ...more, collector: { reply, takesBack } });
  };
  if (!collector) {
    if (journal === 'queued' || journal === 'given up') await collect(false);
    if (journal === 'queued') await collect(true);
    return;
  }
  const { reply, takesBack } = collector;
  if (lostReplies < MAX_LOST) await collect(takesBack, { lostReplies: lostReplies + 1 });
  if (kills < MAX_KILLS) go('collect is killed', { collector: null, kills: kills + 1 });
  const copies = takesBack || !copiesNothing;
  let next: World['journal'] = journal;
  if (reply === 'revoked' && (journal === 'queued' || copies)) next = 'pending';
  else if (reply.startsWith('given-up') && copies) next = 'given up';
  else if (/^done:.*sent$/.test(reply)) next = 'sent';
  else if (/^done:/.test(reply)) next = 'unknown';
  if (reply === 'revoked' && world.sent > 0) blame('a sent batch is called not sent', 'journal');
  go(`journal: ${next}`, { collector: null, journal: next });
}

function otherSteps(world: World, go: Go, blame: Blame) {
  const { collector, journal, hash, value, sent } = world;
  const areIdle = world.workers.every(({ at }) => at === 'idle' || at === 'dead');
  if (value.endsWith(':live'))
    go('the lease ends', {
      value: value.replace(/live$/, 'over'),
      workers: world.workers.map((each, index) =>
        value.startsWith(`claim:${'AB'[index]}${each.claims}:`) ? { ...each, mayBegin: false } : each,
      ) as never,
    });
  if (collector) return;
  if (journal === 'given up' || journal === 'unknown')
    go(`resolve: ${sent > 0 ? 'sent' : 'not sent'}`, { journal: sent > 0 ? 'sent' : 'pending' });
  if (journal === 'pending') go('run', { journal: 'sent', sent: sent + 1 });
  if (journal === 'sent' && hash === 'open') go('close', { hash: 'closed', value: '' });
  if (hash === 'closed') go('the closed hash is forgotten', { hash: 'gone' });
  if (journal === 'queued' && value === '' && hash === 'open' && !world.hasJob && areIdle) {
    go('enqueue puts the job back', { hasJob: true });
    if (world.kills === 0) blame('a batch has lost its job, and nobody was killed');
  }
}

/** Looks for a batch that nobody can ever decide. */
async function endsOf(world: World, blame: Blame, run: Call, copiesNothing: boolean) {
  const { journal, value, hash, collector } = world;
  const areIdle = world.workers.every(({ at }) => at === 'idle' || at === 'dead');
  if (collector || !areIdle || hash !== 'open' || value === '') return;
  const isOpen = journal === 'queued';
  const { reply } = await run(world, 'COLLECT', 'take back');
  if (isOpen && !value.endsWith(':live') && ['under-way', 'queued', 'lost'].includes(reply))
    blame(`a batch that nobody can decide: ${reply}`);
  if (copiesNothing && isOpen && value.startsWith('given-up')) blame('a batch that was given up stays under way');
  if (copiesNothing && journal === 'given up' && value === 'revoked') blame('a batch that is not sent stays unknown');
}

const KEYS = ['messaging-bulk:one', 'messaging-bulk:one:claims'];

/** Runs the scripts. What a script does is remembered: it depends on the value only. */
function makeCalls(redis: TestRedis, of: Scripts): Call {
  const known = new Map<string, Awaited<ReturnType<Call>>>();
  return async (world, script, ...args) => {
    const key = JSON.stringify([world.hash, world.value, script, args]);
    const before = known.get(key);
    if (before) return before;
    const time = (await redis.sendCommand(['TIME'])) as unknown as [string];
    const now = Number(time[0]) * 1000;
    await redis.del(KEYS);
    const tick = script === 'CLAIM' ? args[1] : '100';
    if (world.hash === 'open')
      await redis.hSet(KEYS[0] as string, { open: 'q', lease: 30_000, held: 0, tick: tick ?? 0 });
    if (world.hash === 'closed') await redis.hSet(KEYS[0] as string, 'closed', 1);
    const value = world.value.replace(/live$/, String(now + 20_000)).replace(/over$/, '1');
    if (value !== '') await redis.hSet(KEYS[0] as string, '1', value);
    const given =
      script === 'CLAIM' ? [args[0], 'mark', '1'] : script === 'STORE' ? [args[0], args[1], '1', args[2]] : [];
    const others =
      script === 'RENEW' || script === 'RELEASE' ? [args[0], '1'] : script === 'COLLECT' ? ['1', args[0]] : given;
    const reply = await redis.eval(of[script], { keys: KEYS, arguments: ['1', ...(others as string[])] });
    const after = (await redis.hGet(KEYS[0] as string, '1')) ?? '';
    const shown = after.replace(
      /^(claim:.*:)(\d+)$/,
      (_, start, end) => `${start}${Number(end) > now ? 'live' : 'over'}`,
    );
    const result = { reply: String(reply), value: shown, hash: world.hash };
    known.set(key, result);
    return result;
  };
}
