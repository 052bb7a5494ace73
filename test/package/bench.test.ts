import { outcomeOf, ROOT, startNode } from '../support/process';

test('npm run bench -- --earlier compares two builds with each other and with other clients, in each row', async () => {
  // npm run test:package has built the package, which is compared with itself.
  const options = ['--earlier', ROOT, '--only', 'array,cli', '--rounds', '1'];
  const program = startNode(['--require', 'ts-node/register/transpile-only', 'scripts/bench.ts', ...options]);
  const { code, stdout, stderr } = await outcomeOf(program);
  expect([code, stderr]).toEqual([0, '']);
  const [head, , ...rows] = stdout.split('\n').map((line) => line.split(' | '));
  expect(head).toEqual(['| CPU time of a call, ms', 'this', 'earlier', 'undici', 'node-soap', 'node -e 0 |']);
  const ratio = /^[\d.,]+, \d+\.\d\d ×$/;
  expect(rows[0]).toEqual(['| sendArray of 1,000', /./, ratio, ratio, ratio, ' |'].map(matching));
  expect(rows[1]).toEqual(['| messaging remain-credit', /./, ratio, '', '', /×/].map(matching));
});

function matching(cell: string | RegExp): unknown {
  return typeof cell === 'string' ? cell : expect.stringMatching(cell);
}
