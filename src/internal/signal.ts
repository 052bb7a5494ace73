/** The parts of an AbortSignal that the client uses. */
interface SignalShape {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * `AbortSignal` where the program's types have it, which the DOM library and `@types/node` declare; else any object of
 * its shape. So the types of the package compile without both.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } } ? Known : SignalShape;
