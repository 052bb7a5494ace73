import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { startRedis } from '../bulk/queue-support';
import { environmentOf } from '../cli/support';
import { outcomeOf, ROOT } from '../support/process';
import { openSandbox } from '../support/sandbox';
import { Project } from './project';

describe('Redis', () => {
  test('examples/queue.mts queues a list, sends it and collects what became of it', async () => {
    const project = new Project();
    for (const name of ['bullmq', 'redis'])
      symlinkSync(join(ROOT, 'node_modules', name), project.path(join('node_modules', name)));
    // examples.test.ts compiles it with the types of the package.
    const { code } = transformSync(readFileSync(join(ROOT, 'examples/queue.mts'), 'utf8'), { loader: 'ts' });
    project.write('queue.mjs', code);
    project.write('customers.csv', 'receptor,name\n09120000001,Ali\n09120000002,Sara\n');
    const sandbox = await openSandbox();
    const { url } = await startRedis();
    const env = { ...process.env, ...environmentOf(sandbox), MESSAGING_REDIS_URL: url };
    const run = (step: string) => outcomeOf(spawn(process.execPath, ['queue.mjs', step], { cwd: project.folder, env }));
    expect(await run('enqueue')).toMatchObject({ code: 0 });
    expect(await run('work')).toMatchObject({ code: 0, stdout: '{ sent: 2, unknown: 0 }\n' });
    expect(await run('collect')).toMatchObject({ code: 0, stdout: expect.stringMatching(/sent: 2,/) });
    expect(sandbox.messages.map(({ message }) => message).sort()).toEqual(['Hello Ali', 'Hello Sara']);
  });
});
