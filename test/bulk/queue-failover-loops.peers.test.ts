import { setTimeout as sleep } from 'node:timers/promises';
import { openBulk } from '../../src/bulk';
import { collectBulk, enqueueBulk, RedisError, type WorkOptions, workBulk } from '../../src/bulk/queue';
import { isFull, loopSize } from '../support/loops';
import { connectTo, DURABLE, expireLeases, expireLocks, startRedis } from './queue-support';
import { csvOf, damageOf, decideUnknown, fields, startService } from './support';

if (isFull) jest.setTimeout(3_600_000);

const ROWS = isFull ? 1000 : 60;

describe('Redis', () => {
  /** A list of rows, a primary with one replica, and what works on them. */
  async function prepare(rows: number, replicas: number) {
    const primary = await startRedis([...DURABLE, '--repl-diskless-sync-delay', '0']);
    const replica = await startRedis([...DURABLE, '--replicaof', `127.0.0.1 ${new URL(primary.url).port}`]);
    const link = await connectTo(replica);
    while (!(await link.info('replication')).includes('master_link_status:up')) await sleep(20);
    const { sandbox, client } = await startService();
    const { input, journal } = csvOf(rows);
    const at = ({ url }: { readonly url: string }) => ({ client, redis: url, replicas, queue: 'test' });
    const work = (server: { readonly url: string }, more: Partial<WorkOptions> = {}) =>
      workBulk({ ...at(server), stopAfterFailures: 0, untilEmpty: true, redisTimeoutMs: 1000, ...more });
    return {
      ...{ primary, replica, link, sandbox, work },
      enqueue: (server: { readonly url: string }, more: object = {}) =>
        enqueueBulk({ ...at(server), input, fields, baselinePagesize: 1_000_000, ...more }),
      collect: () => collectBulk({ redis: replica.url, journal, takeBack: true }),
      open: () => openBulk({ client, input, fields }),
    };
  }

  /**
   * Kills the primary after some rows were sent, goes on with the replica until all rows are sent, and counts the
   * damage.
   */
  async function failOver(rows: number, killAfter: number) {
    const prepared = await prepare(rows, 1);
    const { primary, replica, link, sandbox, work, enqueue, collect, open } = prepared;
    await enqueue(primary);
    const working = work(primary, {
      onProgress: ({ sent }) => {
        if (sent >= killAfter) void primary.kill();
      },
    });
    await working.catch((error: unknown) => expect(error).toBeInstanceOf(RedisError));
    await primary.kill();
    await link.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    for (;;) {
      await expireLocks(link);
      await work(replica, { replicas: 0 });
      await expireLeases(link);
      await collect();
      const bulk = await open();
      const sent = await decideUnknown(bulk, sandbox);
      await bulk.close();
      if (sent === rows) return damageOf(sandbox, rows);
      await enqueue(replica, { replicas: 0 });
    }
  }

  test('with claims that a replica must have, a failover right after claims sends no row twice and loses none', async () => {
    expect(await failOver(ROWS, ROWS / 4)).toEqual({ twice: 0, lost: 0 });
  });

  test('failovers at random instants send no row twice and lose none', async () => {
    const damage = { twice: 0, lost: 0 };
    const rows = isFull ? 100 : 40;
    for (let failovers = loopSize(50); failovers > 0; failovers--) {
      const { twice, lost } = await failOver(rows, Math.floor(Math.random() * rows));
      damage.twice += twice;
      damage.lost += lost;
    }
    expect(damage).toEqual({ twice: 0, lost: 0 });
  });

  test('while a replica does not take claims, nothing is sent, and the claims are released', async () => {
    const { primary, replica, sandbox, work, enqueue } = await prepare(5, 1);
    await enqueue(primary);
    replica.signal('SIGSTOP');
    await expect(work(primary)).rejects.toThrow(/only 0 of 1 replicas have what was written/);
    expect(sandbox.messages).toHaveLength(0);
    replica.signal('SIGCONT');
    const link = await connectTo(primary);
    await expireLocks(link);
    expect(await work(primary)).toMatchObject({ total: 5, sent: 5 });
  });

  test('without the option, a failover to a replica that lacks the claims sends all rows twice, as the docs say', async () => {
    const { primary, replica, link, sandbox, work, enqueue } = await prepare(60, 0);
    await enqueue(primary);
    // Redis waits for the writes of a connection, and with them for all writes before them.
    const before = await connectTo(primary);
    await before.set('written after the list', '1');
    expect(await before.wait(1, 5000)).toBe(1);
    // It does not receive what the primary writes from now on.
    await link.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    expect(await work(primary)).toMatchObject({ sent: 60 });
    await primary.kill();
    expect(await work(replica)).toMatchObject({ sent: 60 });
    expect(damageOf(sandbox, 60)).toEqual({ twice: 60, lost: 0 });
  });

  test('after a failover, the journal names the Redis that collect was given, and its replicas', async () => {
    const { primary, replica, link, enqueue, collect, open } = await prepare(2, 1);
    await enqueue(primary);
    const before = await open();
    expect(before.status().queue).toMatchObject({ redis: primary.url, replicas: 1 });
    await primary.kill();
    await link.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    const status = await collect();
    expect(status.queue).toMatchObject({ redis: replica.url, replicas: 0 });
    expect(status.counts).toMatchObject({ pending: 2 });
    const after = await open();
    expect(after.status().queue).toEqual(status.queue);
  });

  test('a Redis with too few replicas is refused before anything is written', async () => {
    const { replica, link, enqueue, open } = await prepare(1, 2);
    await link.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    await expect(enqueue(replica)).rejects.toThrow(/it has 0 of the 2 replicas/);
    const bulk = await open();
    expect(bulk.status().counts).toMatchObject({ pending: 1, 'under-way': 0 });
    await bulk.close();
  });
});
