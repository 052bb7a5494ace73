import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HttpError, TimeoutError } from '../../../src';
import { readBulk } from '../../../src/bulk';
import { collectBulk, enqueueBulk, workBulk } from '../../../src/bulk/queue';
import { RedisConnection } from '../../../src/bulk/queue/redis';
import type { SendingClient } from '../../../src/bulk/sending/send-batch';
import { gate } from '../../support/clock';
import type { Random } from '../../support/random';
import { expireLeases, expireLocks, type RedisServer, type TestRedis } from '../queue-support';
import { currentProcess, Killed, WalkProcess } from './processes';
import { ACCOUNTS, Walk } from './walk';

/** Kills processes at their calls to Redis too, in all walks of a test file. */
export function watchRedis(): void {
  const { attempt } = RedisConnection.prototype;
  jest.spyOn(RedisConnection.prototype, 'attempt').mockImplementation(async function (
    this: RedisConnection,
    operation: () => Promise<unknown>,
  ) {
    const process = currentProcess();
    process?.step();
    const result = await attempt.call(this, operation);
    if (process?.isDead) throw new Killed();
    return result;
  } as never);
}

/** A walk in which lists are put in a queue as well, and workers are killed, stopped and given other keys. */
export class QueueWalk extends Walk {
  readonly #server: RedisServer;
  readonly #redis: TestRedis;

  constructor(random: Random, folder: string, server: RedisServer, redis: TestRedis) {
    super(random, folder);
    this.#server = server;
    this.#redis = redis;
  }

  protected override async step(): Promise<void> {
    const { random } = this;
    const file = random.pick(this.files());
    const act = random.below(20);
    if (act < 5) await this.#enqueue(file);
    else if (act < 8) await this.#work();
    else if (act < 10) await this.#collect(await this.#queuedOr(file));
    else if (act < 12) await this.#workStopped(file);
    else if (act < 13) await this.#time();
    else if (act < 14 && random.below(4) === 0) await this.#crash();
    else return super.step();
    await this.judge();
  }

  protected override async putRight(): Promise<void> {
    this.isCalm = true;
    await this.#time();
    const journals = readdirSync(this.folder).filter((name) => name.endsWith('.journal'));
    for (const journal of journals) await this.#collect(journal.replace(/\.journal$/, ''), true);
    await super.putRight();
    // All lists are at their end, so what is left in the queue must not be sent.
    await this.#work();
    await this.judge();
  }

  /** Nobody looks up a row while a message like it may be that of a worker. */
  protected override async resolve(file: string): Promise<void> {
    const rows = await this.rowsOfJournals();
    if (rows.every(({ state }) => state !== 'under-way')) await super.resolve(file);
  }

  get #link() {
    return { redis: this.#server.url, queue: 'walk' };
  }

  #process(): WalkProcess {
    return new WalkProcess(!this.isCalm && this.random.below(3) === 0 ? 1 + this.random.below(30) : undefined);
  }

  async #enqueue(file: string): Promise<void> {
    const account = this.random.pick(ACCOUNTS);
    const how = this.random.pick(['others', 'others', 'others', 'none', 'all'] as const);
    this.log(`enqueue ${file} (${how}, ${account})`);
    await this.command(this.#process(), async () => {
      const { counts } = await enqueueBulk({
        ...{ ...this.#link, client: this.client(account, () => undefined), account, others: 'folder', again: 'refuse' },
        input: join(this.folder, file),
        fields: { sender: '3000', message: '{{text}}', unixdate: 0n, msgmode: 1 },
        baselinePagesize: 100,
        onBegin: () => this.reply(how, file),
      });
      this.log(`  ${JSON.stringify(counts)}`);
    });
  }

  async #work(client?: SendingClient): Promise<void> {
    const { random } = this;
    const account = random.pick(ACCOUNTS);
    this.log(`work (${account}${client ? ', stopped' : ''})`);
    await expireLocks(this.#redis);
    await this.command(client ? new WalkProcess() : this.#process(), async () => {
      const own = client ?? this.client(account, () => undefined);
      const options = { untilEmpty: true, concurrency: random.pick([1, 4]), stopAfterFailures: random.pick([0, 1]) };
      const result = await workBulk({ ...this.#link, client: own, account, ...options });
      this.log(`  worked ${JSON.stringify(result)}`);
    });
  }

  /** A worker is stopped at its request, while other commands run, many of them with its list, and continues. */
  async #workStopped(file: string): Promise<void> {
    const { random } = this;
    const list = await this.#queuedOr(file);
    await this.#enqueue(list);
    const [arrived, released] = [gate(), gate()];
    const how = random.pick(['answered late', 'not begun', 'pushed back'] as const);
    const own = this.client('first', () => undefined);
    const client = {
      sendSimple: async (...request: Parameters<SendingClient['sendSimple']>) => {
        const result = how === 'answered late' ? await own.sendSimple(...request) : undefined;
        arrived.open();
        await released.opened;
        if (result !== undefined) return result;
        const operation = 'SendSimpleByApikey' as const;
        // A client begins no request after the time that it was given.
        if (how === 'not begun')
          throw new TimeoutError({ operation, outcome: 'not-sent', timeoutMs: 1000, message: 'not begun' });
        throw new HttpError({ operation, httpStatus: 429, headers: {}, body: '' } as never);
      },
    } as unknown as SendingClient;
    const working = this.#work(client);
    await Promise.race([arrived.opened, working]);
    this.log(`  stopped: ${how}`);
    await this.#time();
    for (let steps = 1 + random.below(4); steps > 0; steps--) {
      const act = random.below(8);
      if (act < 3) await this.#collect(list, true);
      else if (act < 5) await this.resolve(list);
      else if (act < 7) await this.run(list);
      else await super.step();
    }
    released.open();
    await working;
  }

  /** A file with rows in the queue, or this file when none has. */
  async #queuedOr(file: string): Promise<string> {
    const rows = await this.rowsOfJournals();
    const queued = this.files().filter((each) =>
      rows.some(({ journal, state }) => journal === `${each}.journal` && state === 'under-way'),
    );
    return queued.length > 0 ? this.random.pick(queued) : file;
  }

  async #collect(file: string, takeBack = this.random.below(2) === 0): Promise<void> {
    const journal = `${join(this.folder, file)}.journal`;
    const status = await readBulk(journal).catch(() => undefined);
    if (status?.queue === undefined) return;
    this.log(`collect ${file}${takeBack ? ' --take-back' : ''}`);
    await this.command(this.#process(), async () => {
      const { counts } = await collectBulk({ journal, takeBack });
      this.log(`  ${JSON.stringify(counts)}`);
    });
  }

  /** Half a minute passes. */
  async #time(): Promise<void> {
    this.log('half a minute passes');
    await expireLeases(this.#redis);
    await expireLocks(this.#redis);
  }

  async #crash(): Promise<void> {
    this.log('Redis is killed and starts again');
    await this.#server.crash();
  }
}
