import './skip-settling';

import { startProcess } from '../cli/support';
import { arm } from './cli-support';
import { type State, testFollowing, type World } from './next-steps-support';
import { connectTo, expireLeases, expireLocks, type RedisServer, startRedis } from './queue-support';
import { endOf } from './support';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
beforeEach(async () => (await connectTo(server)).flushAll());

const ok = { delayMs: 0 };

/** Works on the queue as a machine does that has the key and the address of the service. */
const work = ({ bulk, sandbox }: World, ...more: string[]) =>
  bulk('work', '--redis', server.url, ...serviceOf(sandbox), '--concurrency', '1', '--until-empty', ...more);
const serviceOf = (sandbox: World['sandbox']) => [
  ...['--base-url', sandbox.baseUrl, '--namespace', sandbox.namespace, '--success-statuses', '200'],
  ...['--api-key', sandbox.apiKey],
];

/** The states of a list with a queue. */
const states: readonly State[] = [
  ['all rows are in a queue', ({ enqueue }) => enqueue('--redis', server.url)],
  [
    'a worker has sent a part, and stopped',
    async (world) => {
      await world.enqueue('--redis', server.url);
      arm(world.sandbox, 3, (n) => (n === 3 ? { http: { status: 503 } } : ok));
      await work(world, '--stop-after-failures', '1');
      return world.bulk('status', world.input);
    },
  ],
  [
    'the rows of a worker are collected, and others are in the queue',
    async (world) => {
      await world.enqueue('--redis', server.url);
      arm(world.sandbox, 3, (n) => (n === 3 ? { status: 412 } : ok));
      await work(world, '--stop-after-failures', '1');
      return world.bulk('collect', world.input);
    },
  ],
  [
    'a worker was killed with a request under way',
    async (world) => {
      const { sandbox, enqueue, bulk, input } = world;
      await enqueue('--redis', server.url);
      arm(sandbox, 4, (n) => (n === 4 ? { delayMs: 600_000 } : ok));
      const given = ['--redis', server.url, '--concurrency', '1', ...serviceOf(sandbox)];
      const child = startProcess(['bulk', 'work', ...given]);
      while (sandbox.requests.filter(({ operation }) => operation === 'SendSimpleByApikey').length < 4)
        await new Promise((resolve) => setTimeout(resolve, 10));
      child.kill('SIGKILL');
      await endOf(child);
      const redis = await connectTo(server);
      await expireLeases(redis);
      await expireLocks(redis);
      return bulk('collect', input);
    },
  ],
];

testFollowing(states, { MESSAGING_REDIS_URL: 'redis://127.0.0.1:1' }, (followed) =>
  expect(followed).toContain('collect'),
);
