import { execFileSync } from 'node:child_process';
import { makeFolder } from '../support/folder';
import { ROOT } from '../support/process';

test('a clone on Windows has the same line ends as any other clone', () => {
  const folder = makeFolder();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('clone', '--quiet', '--config', 'core.autocrlf=true', ROOT, '.');
  // `i/` is the line end in the repository, `w/` in the clone.
  const changed = git('ls-files', '--eol')
    .split('\n')
    .filter((line) => !/^(?:i\/(\S+) +w\/\1 .*)?$/.test(line));
  expect(changed).toEqual([]);
});
