import { Clock } from '../../src/soap/clock';

describe('the clock of a client', () => {
  let rung: string[];
  let clock: Clock;

  beforeEach(() => {
    jest.useFakeTimers();
    rung = [];
    clock = new Clock();
  });
  afterEach(() => jest.useRealTimers());

  const set = (name: string, delay: number) => clock.set(delay, () => rung.push(name));

  test('rings once the delay is over, and no more', () => {
    set('a', 100);
    jest.advanceTimersByTime(99);
    expect(rung).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(rung).toEqual(['a']);
    jest.advanceTimersByTime(1000);
    expect(rung).toEqual(['a']);
  });

  test('rings in the order of time, whatever the order of setting', () => {
    set('late', 300);
    set('early', 100);
    set('middle', 200);
    jest.advanceTimersByTime(100);
    expect(rung).toEqual(['early']);
    set('soon', 50);
    jest.advanceTimersByTime(99);
    expect(rung).toEqual(['early', 'soon']);
    jest.advanceTimersByTime(1);
    expect(rung).toEqual(['early', 'soon', 'middle']);
    jest.advanceTimersByTime(100);
    expect(rung).toEqual(['early', 'soon', 'middle', 'late']);
  });

  test('does not ring what was stopped, and rings its neighbours', () => {
    const alarms = ['a', 'b', 'c', 'd'].map((name) => set(name, 100));
    alarms[1]?.stop();
    alarms[1]?.stop();
    alarms[3]?.stop();
    jest.advanceTimersByTime(100);
    expect(rung.sort()).toEqual(['a', 'c']);
    alarms[0]?.stop();
    set('e', 100);
    jest.advanceTimersByTime(100);
    expect(rung).toEqual(['a', 'c', 'e']);
  });

  test('does not ring what another alarm stops at the same time', () => {
    const alarms = [0, 1].map((index) =>
      clock.set(100, () => {
        rung.push(String(index));
        alarms[1 - index]?.stop();
      }),
    );
    jest.advanceTimersByTime(100);
    expect(rung).toHaveLength(1);
  });

  test('sets an alarm while one rings', () => {
    clock.set(100, () => set('second', 100));
    jest.advanceTimersByTime(199);
    expect(rung).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(rung).toEqual(['second']);
  });

  test('needs one timer for all, and none once nothing is set', () => {
    const alarms = Array.from({ length: 1000 }, (_, index) => set(String(index), 1000 - index));
    expect(jest.getTimerCount()).toBe(1);
    for (const alarm of alarms) alarm.stop();
    jest.advanceTimersByTime(1000);
    expect(jest.getTimerCount()).toBe(0);
    expect(rung).toEqual([]);
  });

  test('does not keep the process alive', () => {
    jest.useRealTimers();
    const before = process.getActiveResourcesInfo().length;
    const alarm = new Clock().set(60_000, () => {});
    expect(process.getActiveResourcesInfo()).toHaveLength(before);
    alarm.stop();
  });
});
