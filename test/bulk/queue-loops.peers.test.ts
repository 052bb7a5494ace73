import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBulk } from '../../src/bulk';
import { collectBulk, enqueueBulk, workBulk } from '../../src/bulk/queue';
import { isFull, loopSize, testInFull } from '../support/loops';
import { startSlowWay } from './proxy';
import { expireLeases, shareRedis, startWorker, stop, type WorkerProgramOptions } from './queue-support';
import { csvOf, damageOf, decideUnknown, endOf, fields, printed, startService } from './support';

if (isFull) jest.setTimeout(3_600_000);

const ROWS = isFull ? 100 : 40;
const KILLS = loopSize(100);
const STOPS = loopSize(300);
/** The time within which a request begins after its claim, while workers are stopped for longer. */
const START_MS = 300;

describe('Redis', () => {
  const shared = shareRedis();

  test.each([
    ['workers are killed at random instants', false],
    ['Redis is killed as well', true],
  ])('when %s, no row is sent twice, and none is lost', async (_, withRedis) => {
    let [kills, damage] = [0, { twice: 0, lost: 0 }];
    while (kills < KILLS) {
      const list = await sendList(KILLS - kills, withRedis);
      kills += list.kills;
      damage = { twice: damage.twice + list.twice, lost: damage.lost + list.lost };
    }
    expect(damage).toEqual({ twice: 0, lost: 0 });
  });

  test('when workers are stopped across the ends of their leases, and continue, no row is sent twice, and none is lost', async () => {
    for (let stops = 0; stops < STOPS; ) {
      const list = await sendListInStops(STOPS - stops);
      stops += list.stops;
      expect(list.lost).toBe(0);
      // A request that had passed its last look at the clock when its worker was stopped is late all the same:
      // docs/unknown-rows.md has this exception.
      expect(list.twice).toBeLessThanOrEqual(list.late);
    }
  });

  testInFull('these loops find the damage of workers that run again what others have left behind', async () => {
    let twice = 0;
    for (let list = 0; list < 10 && twice === 0; list++) twice = await sendCarelessly();
    expect(twice).toBeGreaterThan(0);
  });

  async function prepare() {
    const { sandbox, client } = await startService();
    const way = await startSlowWay(sandbox.baseUrl, 20);
    const { input, journal } = csvOf(ROWS);
    const queue = { redis: shared.server.url, queue: 'loop' };
    const start = (more: Partial<WorkerProgramOptions>) => startWorker({ ...queue, baseUrl: way.baseUrl, ...more });
    return { sandbox, way, list: { client, input, journal, fields }, queue, start };
  }

  /**
   * Sends a list with two workers that are killed at random instants, at most so often. After each round what they did
   * is collected, the unknown rows are looked up, and what was not sent is queued again.
   */
  async function sendList(most: number, withRedis: boolean) {
    const { sandbox, way, list, queue, start } = await prepare();
    let kills = 0;
    // When few rows are left, less than that comes.
    const pieces = (most: number) => Promise.race([way.pieces(Math.floor(Math.random() * most)), sleep(500)]);
    const dieSoon = async (child: ChildProcess) => {
      await pieces(30);
      await sleep(Math.random() * 10);
      if (child.kill('SIGKILL')) kills += 1;
      await endOf(child);
    };
    for (;;) {
      await enqueueBulk({ ...list, ...queue, baselinePagesize: 1_000_000 });
      if (kills < most) {
        const workers = [start({}), start({})] as const;
        await Promise.all(workers.map((worker) => printed(worker, /working/)));
        if (withRedis) {
          await pieces(20);
          await shared.server.crash();
          kills += 1;
        }
        for (const worker of workers) await dieSoon(worker);
      } else await workBulk({ ...queue, client: list.client, untilEmpty: true, stopAfterFailures: 0 });
      await way.idle();
      await expireLeases(shared.redis);
      await collectBulk({ redis: queue.redis, journal: list.journal, takeBack: true });
      const bulk = await openBulk(list);
      const sent = await decideUnknown(bulk, sandbox);
      await bulk.close();
      if (sent === ROWS) return { ...damageOf(sandbox, ROWS), kills };
    }
  }

  /**
   * Sends a list with two workers that are stopped at random instants, at most so often. Meanwhile their leases end, what
   * they have is taken back, looked up and queued again; then they continue.
   */
  async function sendListInStops(most: number) {
    const { sandbox, way, list, queue, start } = await prepare();
    const limited = { ...list, ...queue, startWithinMs: START_MS };
    await enqueueBulk({ ...limited, baselinePagesize: 1_000_000 });
    const workers = [start({}), start({})] as const;
    let late = 0;
    for (const { stdout } of workers)
      stdout?.on('data', (text) => {
        late += String(text).match(/late/g)?.length ?? 0;
      });
    await Promise.all(workers.map((worker) => printed(worker, /working/)));
    const end = async (sent: number) => {
      if (sent < ROWS) return false;
      for (const worker of workers) worker.kill('SIGTERM');
      await Promise.all(workers.map(endOf));
      return true;
    };
    for (let stops = 0; ; stops += 1) {
      await Promise.race([way.pieces(Math.floor(Math.random() * 40)), sleep(500)]);
      const areStopped = stops < most;
      if (areStopped) {
        for (const worker of workers) await stop(worker);
        await way.arrived();
        // No request begins any more.
        await sleep(START_MS);
        await expireLeases(shared.redis);
      }
      await collectBulk({ redis: queue.redis, journal: list.journal, takeBack: areStopped });
      const bulk = await openBulk({ ...list, startWithinMs: START_MS });
      const { counts } = bulk.status();
      const sent = counts['under-way'] > 0 ? counts.sent : await decideUnknown(bulk, sandbox);
      await bulk.close();
      if (sent < ROWS) await enqueueBulk(limited);
      for (const worker of workers) worker.kill('SIGCONT');
      if (await end(sent)) return { ...damageOf(sandbox, ROWS), stops, late };
    }
  }

  /** The same with the defect, until nothing is left in the queue. Gives how many rows were sent twice. */
  async function sendCarelessly(): Promise<number> {
    const { sandbox, way, list, queue, start } = await prepare();
    await enqueueBulk({ ...list, ...queue });
    for (let kill = 0; kill < 3; kill++) {
      const worker = start({ defect: true });
      await Promise.race([way.pieces(20), sleep(1000)]);
      worker.kill('SIGKILL');
      await endOf(worker);
    }
    const last = start({ defect: true });
    while ((await shared.redis.lLen('bull:loop:wait')) + (await shared.redis.lLen('bull:loop:active')) > 0)
      await sleep(20);
    last.kill('SIGKILL');
    await way.idle();
    await shared.redis.flushAll();
    return damageOf(sandbox, ROWS).twice;
  }
});
