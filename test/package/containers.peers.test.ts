import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { startRedis } from '../bulk/queue-support';
import { environmentOf } from '../cli/support';
import { cleanUp } from '../support/clean-up';
import { commandOf, healthCheckOf, images, type Stage, stages } from '../support/containerfile';
import { makeFolder } from '../support/folder';
import { freePort } from '../support/free-port';
import { testInFull } from '../support/loops';
import { openSandbox } from '../support/sandbox';
import { packedFile } from './project';

// Without a registry of images, the lines of the Containerfile run in a folder in place of an image. They install the
// package three times, so they run before a release. test/docs/containers.test.ts runs the health checks in each push.

/** The folder in which an image is built: it holds the packed package. */
const context = makeFolder();
/** The stages that were built, by their names. */
const built = new Map<string, { readonly folder: string; readonly environment: NodeJS.ProcessEnv }>();

beforeAll(() => {
  cpSync(packedFile(), join(context, basename(packedFile())));
  for (const stage of stages) build(stage);
});

/** Carries out the lines of a stage, with a folder in the place of /app. */
function build({ name, base, instructions }: Stage): void {
  const folder = makeFolder();
  const from = built.get(base);
  if (from !== undefined) cpSync(from.folder, folder, { recursive: true, verbatimSymlinks: true });
  // The cache of the machine stays as it is.
  const environment = { npm_config_cache: makeFolder(), PATH: process.env.PATH, ...from?.environment };
  if (from !== undefined) environment.PATH = environment.PATH?.replace(from.folder, folder);
  for (const { name: instruction, text } of instructions) {
    if (instruction === 'ENV') {
      const [variable = '', value = ''] = text.split(/=(.*)/s);
      Object.assign(environment, {
        [variable]: value.replace('/app', folder).replace('$PATH', () => environment.PATH ?? ''),
      });
    } else if (instruction === 'WORKDIR') {
      mkdirSync(folder, { recursive: true });
    } else if (instruction === 'COPY') {
      const pattern = new RegExp(`^${text.split(' ')[0]?.replaceAll('.', '[.]').replace('*', '.*')}$`);
      const files = readdirSync(context).filter((file) => pattern.test(file));
      expect(files).toHaveLength(1);
      for (const file of files) cpSync(join(context, file), join(folder, file));
    } else if (instruction === 'RUN') {
      execFileSync('sh', ['-c', text], { cwd: folder, env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    }
  }
  built.set(name, { folder, environment });
}

/** Starts what an image starts, at a port of its own, and returns the words of its health check too. */
async function start(name: string, environment: NodeJS.ProcessEnv) {
  const stage = images.find((image) => image.name === name) as Stage;
  const image = built.get(name);
  const port = String(await freePort());
  const command = commandOf(stage).map((word, index, words) => (words[index - 1]?.endsWith('port') ? port : word));
  const [program = '', ...args] = command;
  const options = { cwd: image?.folder, env: { ...image?.environment, ...environment } };
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'ignore'] });
  cleanUp(() => child.kill('SIGKILL'));
  const [node = '', ...check] = healthCheckOf(stage, port);
  const health = async () => (await once(spawn(node, check, options), 'exit'))[0];
  while ((await health()) !== 0) expect(child.exitCode).toBe(null);
  return { child, health };
}

/** Ends a program as a container does. */
async function stop(child: ReturnType<typeof spawn>): Promise<unknown> {
  const end = once(child, 'exit');
  child.kill('SIGTERM');
  return (await end)[0];
}

testInFull('the lines of the image sandbox install it, and start a sandbox that is healthy until SIGTERM', async () => {
  const { child, health } = await start('sandbox', {});
  expect(await stop(child)).toBe(0);
  expect(await health()).toBe(1);
});

testInFull('the lines of the image worker install it, and start a worker that is healthy until SIGTERM', async () => {
  const [sandbox, redis] = [await openSandbox(), await startRedis()];
  const { child, health } = await start('worker', { ...environmentOf(sandbox), MESSAGING_REDIS_URL: redis.url });
  await redis.kill();
  // It tries for a minute to reach a Redis that has ended, and says so.
  while ((await health()) === 0) expect(child.exitCode).toBe(null);
  expect(await stop(child)).toBe(143);
});
