import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { startRedis } from '../bulk/queue-support';
import { environmentOf } from '../cli/support';
import { makeFolder } from '../support/folder';
import { outcomeOf, ROOT } from '../support/process';
import { openSandbox } from '../support/sandbox';

describe('Redis', () => {
  test('examples/queue.mts queues a list, sends it and collects what became of it', async () => {
    const folder = makeFolder();
    // The built package as it stands: package.test.ts installs the packed one, and examples.test.ts compiles the example.
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules/messaging-soap'));
    const { code } = transformSync(readFileSync(join(ROOT, 'examples/queue.mts'), 'utf8'), { loader: 'ts' });
    writeFileSync(join(folder, 'queue.mjs'), code);
    writeFileSync(join(folder, 'customers.csv'), 'receptor,name\n09120000001,Ali\n09120000002,Sara\n');
    const sandbox = await openSandbox();
    const { url } = await startRedis();
    const env = { ...process.env, ...environmentOf(sandbox), MESSAGING_REDIS_URL: url };
    const run = (step: string) => outcomeOf(spawn(process.execPath, ['queue.mjs', step], { cwd: folder, env }));
    expect(await run('enqueue')).toMatchObject({ code: 0 });
    expect(await run('work')).toMatchObject({ code: 0, stdout: '{ sent: 2, unknown: 0 }\n' });
    expect(await run('collect')).toMatchObject({ code: 0, stdout: expect.stringMatching(/sent: 2,/) });
    expect(sandbox.messages.map(({ message }) => message).sort()).toEqual(['Hello Ali', 'Hello Sara']);
  });
});
