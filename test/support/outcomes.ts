import { type MessagingClient, MessagingError } from '../../src';
import { clientOf } from './client';
import { holdClock } from './clock';
import { RawServer } from './raw-server';

/** What the promise rejects with; a promise that is fulfilled fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome) return outcome.error;
  throw new Error('the promise was fulfilled');
}

/** The error that the promise rejects with, which must be of the type. */
export async function errorOf<E extends MessagingError>(
  type: abstract new (...args: never[]) => E,
  promise: Promise<unknown>,
): Promise<E> {
  const error = await failureOf(promise);
  if (!(error instanceof type)) throw new Error(`not a ${type.name}`, { cause: error });
  return error;
}

/** What the function throws. */
export function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** All that an iterable gives. */
export async function collect<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}

/** Checks that a call rejects with an AbortError, which keeps what the signal gave as its reason. */
export async function expectAbort(
  call: Promise<unknown>,
  signal: AbortSignal,
  outcome?: 'not-sent' | 'unknown',
): Promise<void> {
  const error = await errorOf(MessagingError, call);
  expect(error.name).toBe('AbortError');
  expect(error.cause).toBe(signal.reason);
  expect(error.operation).toBeDefined();
  if (outcome) expect(error.outcome).toBe(outcome);
}

/** A call that times out after its request has arrived and gets no response, however busy the machine is. */
export async function callWithoutResponse<T>(
  timeoutMs: number,
  call: (client: MessagingClient) => Promise<T>,
): Promise<T> {
  const service = await RawServer.start({});
  const clock = holdClock();
  const result = call(clientOf(service, { timeoutMs }));
  result.catch(() => undefined);
  await service.until(() => service.requests.length === 1);
  await clock.advance(timeoutMs);
  clock.release();
  return result;
}
