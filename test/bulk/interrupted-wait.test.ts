import { EventEmitter } from 'node:events';
import { messaging } from '../cli/support';
import { arm, given, prepare } from './cli-support';

test('Ctrl-C while a reconciliation waits gives 130 and says what to do next', async () => {
  const { sandbox, input, environment, bulk } = await prepare(3);
  arm(sandbox, 2, (n) => (n === 2 ? { drop: 'before' } : { delayMs: 0 }));
  await bulk('run', input, ...given, '--baseline-pagesize', '100', '--concurrency', '1', '--once');
  for (const command of [
    ['reconcile', input],
    ['run', input],
  ]) {
    const signals = new EventEmitter();
    const reconciling = messaging(['bulk', ...command], { environment, signals });
    while (signals.listenerCount('SIGINT') === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    signals.emit('SIGINT', 'SIGINT');
    const { code, stderr } = await reconciling;
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(/2 of 3 rows sent, 1 unknown\n1 unknown: .* goes on\nerror: interrupted\n$/),
    ]);
  }
});
