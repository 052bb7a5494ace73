/** A signal of the shape of an AbortSignal, of another class, that calls its listeners without an event. */
export function ownSignal() {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    listeners,
    addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
    abort(reason: unknown) {
      signal.aborted = true;
      signal.reason = reason;
      for (const listener of [...listeners]) listener();
    },
  };
  return signal as unknown as AbortSignal & Pick<typeof signal, 'listeners' | 'abort'>;
}
