/** The time of a walk, in milliseconds. Nothing waits for real: a wait moves it on. */
export const clock = {
  now: 0,
  /** Called with the time that a wait takes, before it is over. */
  onWait: (_ms: number): void => undefined,

  wait(ms: number, signal?: { readonly aborted: boolean }): Promise<void> {
    if (signal?.aborted) return Promise.reject(new Error('aborted'));
    clock.onWait(Math.max(ms, 0));
    clock.now += Math.max(ms, 0);
    return Promise.resolve();
  },
};
