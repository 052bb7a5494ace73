import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folder';
import { ROOT, RUN_TYPESCRIPT } from '../support/process';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Runs what npm runs before it publishes a package with this package.json and README.md. */
function check(manifest: object, readme = 'npm install messaging-soap') {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'README.md'), readme);
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
  const [, script = ''] = /^ts-node (\S+)$/.exec(scripts.prepublishOnly) ?? [];
  const args = [...RUN_TYPESCRIPT, join(ROOT, script)];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, stderr };
}

test('npm publish is refused while package.json lacks the addresses that only the owner knows', () => {
  const homepage = 'https://owner.example';
  expect(check({ name: 'messaging-soap' })).toEqual({
    status: 1,
    stderr: 'package.json needs the URLs of repository, homepage, bugs before the package is published\n',
  });
  expect(check({ homepage, repository: { type: 'git' }, bugs: '' })).toEqual({
    status: 1,
    stderr: 'package.json needs the URLs of repository, bugs before the package is published\n',
  });
  const repository = { type: 'git', url: 'git+https://owner.example/messaging-soap.git' };
  expect(check({ homepage, repository, bugs: { url: homepage } })).toEqual({ status: 0, stderr: '' });
});

test('npm publish is refused while README.md says that the package is not published', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const url = 'https://owner.example';
  expect(check({ homepage: url, repository: url, bugs: url }, readme)).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^README\.md says "The package is not published yet": write how to install it/),
  });
});
