import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { combineSignals } from '../../src/internal/signals';

describe('a combined signal', () => {
  test('a combined signal aborts with the reason of the first signal that aborts', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const { signal, release } = combineSignals([first.signal, undefined, second.signal], 60_000);
    second.abort('second');
    first.abort('first');
    release();
    expect(signal.reason).toBe('second');
  });

  test('a combined signal is aborted from the start when one of its signals is aborted', () => {
    const { signal, release } = combineSignals([AbortSignal.abort('before')]);
    release();
    expect(signal.reason).toBe('before');
  });

  test('a combined signal no longer aborts after its release, and keeps no listener', () => {
    const source = new AbortController();
    const remove = jest.spyOn(source.signal, 'removeEventListener');
    const { signal, release } = combineSignals([source.signal], 60_000);
    release();
    source.abort();
    expect(signal.aborted).toBe(false);
    expect(remove).toHaveBeenCalled();
  });

  test('a combined signal aborts when its time is over, also when the garbage collector runs and nothing else holds the signal', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const collecting = setInterval(collect, 20);
    const aborted = new Promise((resolve) => {
      const { signal } = combineSignals([new AbortController().signal], 200);
      signal.addEventListener('abort', () => resolve(signal.reason));
    });
    const ended = new Promise((resolve) => setTimeout(resolve, 10_000, 'never aborted').unref());
    const reason = await Promise.race([aborted, ended]);
    clearInterval(collecting);
    expect(reason).toMatchObject({ name: 'TimeoutError' });
  });
});
