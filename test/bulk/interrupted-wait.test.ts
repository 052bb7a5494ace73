import { startProcess } from '../cli/support';
import { outcomeOf } from '../support/process';
import { arm, given, prepare } from './cli-support';
import { printed } from './support';

test('Ctrl-C while a reconciliation waits gives 130 and says what to do next', async () => {
  const { sandbox, input, environment, bulk } = await prepare(3);
  arm(sandbox, 2, (n) => (n === 2 ? { drop: 'before' } : { delayMs: 0 }));
  await bulk('run', input, ...given, '--baseline-pagesize', '100', '--concurrency', '1', '--once');
  for (const command of [
    ['reconcile', input],
    ['run', input],
  ]) {
    const child = startProcess(['bulk', ...command], environment);
    const outcome = outcomeOf(child);
    await printed(child, /waiting/);
    child.kill('SIGINT');
    const { code, stderr } = await outcome;
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(
        /2 of 3 rows sent, 1 unknown\n1 unknown: .* goes on\n {2}a shell without .*\nerror: interrupted\n$/,
      ),
    ]);
  }
});
