import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from '../../src/sandbox';
import { messaging } from '../cli/support';
import { commandOf, healthCheckOf, images, type Stage, stages, textOf } from '../support/containerfile';
import { ROOT } from '../support/process';

const KNOWN = ['FROM', 'ENV', 'WORKDIR', 'COPY', 'RUN', 'USER', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT'];

test('the Containerfile has known instructions, a slim base of a fixed version, and two images', () => {
  expect(stages.map(({ name }) => name)).toEqual(['base', 'sandbox', 'worker']);
  expect(stages.map(({ base }) => base)).toEqual([expect.stringMatching(/^node:\d+-slim$/), 'base', 'base']);
  const names = stages.flatMap(({ instructions }) => instructions.map(({ name }) => name));
  expect(names.filter((name) => !KNOWN.includes(name))).toEqual([]);
});

test('the Containerfile installs the packed package, and optional packages of its own ranges', () => {
  const { name: packageName, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [base, , worker] = stages;
  const packed = textOf(base as Stage, 'COPY').split(' ')[0];
  expect(packed).toBe(`${packageName}-*.tgz`);
  expect(textOf(base as Stage, 'RUN')).toContain(` ./${packed} `);
  for (const [, name = '', major = ''] of textOf(worker as Stage, 'RUN').matchAll(/ ([\w-]+)@(\d+)/g)) {
    expect(peerDependencies[name]).toMatch(new RegExp(`\\^${major}\\.`));
  }
});

test.each(images)('the image $name runs as a user without rights, and has no secret', (stage) => {
  const names = stage.instructions.map(({ name }) => name);
  expect(textOf(stage, 'USER')).toBe('node');
  expect(names.indexOf('USER')).toBeGreaterThan(names.lastIndexOf('RUN'));
  expect(names.indexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'));
  expect(JSON.stringify(stage)).not.toMatch(/api.?key|password/i);
});

test.each(images)('the image $name starts a command of the program with options that it has', async (stage) => {
  const [program, ...words] = commandOf(stage);
  expect(program).toBe('messaging');
  const { code, stdout } = await messaging([...words.filter((word) => /^[a-z]+$/.test(word)), '--help']);
  expect(code).toBe(0);
  for (const option of words.filter((word) => word.startsWith('--'))) expect(stdout).toContain(`  ${option} <`);
  // The health check asks the port that the command serves.
  const port = words[words.findIndex((word) => word.endsWith('port')) + 1];
  expect(textOf(stage, 'EXPOSE')).toBe(port);
  expect(textOf(stage, 'HEALTHCHECK')).toContain(`127.0.0.1:${port}`);
});

test('the health check of the sandbox succeeds while the sandbox runs, and fails afterwards', async () => {
  const sandbox = await startSandbox();
  const [, ...args] = healthCheckOf(images[0] as Stage, new URL(sandbox.baseUrl).port);
  const code = await new Promise((resolve) => spawn(process.execPath, args).on('exit', resolve));
  await sandbox.close();
  expect(code).toBe(0);
  expect(spawnSync(process.execPath, args).status).toBe(1);
});
