// The fields of the errors. This file is compiled and never run: a line under @ts-expect-error must not compile.
import {
  ConfigurationError,
  ConnectionError,
  FaultError,
  HttpError,
  MessagingError,
  type Outcome,
  RequestError,
  ResponseError,
  StatusError,
  TimeoutError,
  TrackingTimeout,
} from '../../src';

/** Compiles when the two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function is<_Claim extends true>(): void {}

export function handle(error: unknown): void {
  // @ts-expect-error an unknown error has no outcome
  print(error.outcome);
  if (error instanceof MessagingError) {
    is<Same<typeof error.outcome, Outcome>>();
    is<Same<typeof error.operation, string | undefined>>();
    is<Same<Outcome, 'not-sent' | 'rejected' | 'unknown'>>();
    is<Same<ReturnType<typeof error.toJSON>, Record<string, unknown>>>();
    // @ts-expect-error not every error has a status
    print(error.status);
    // @ts-expect-error there is no such outcome
    if (error.outcome === 'sent') return;
    // @ts-expect-error an outcome is read-only
    error.outcome = 'not-sent';
  }
  if (error instanceof StatusError) {
    is<Same<typeof error.status, number>>();
    is<Same<typeof error.statusmessage, string>>();
    is<Same<typeof error.result, unknown>>();
    // @ts-expect-error the contract says statusmessage
    print(error.statusMessage);
    // @ts-expect-error the type of the result of a refusal is unknown
    print(error.result.length);
    // @ts-expect-error a StatusError has no HTTP status
    print(error.httpStatus);
  }
  if (error instanceof FaultError) {
    is<Same<typeof error.code, string>>();
    is<Same<typeof error.reason, string>>();
    is<Same<typeof error.detail, string>>();
    is<Same<typeof error.httpStatus, number>>();
  }
  if (error instanceof HttpError) {
    is<Same<typeof error.httpStatus, number>>();
    is<Same<typeof error.body, string>>();
  }
  if (error instanceof ResponseError) {
    is<Same<typeof error.body, string>>();
    // @ts-expect-error a ResponseError has no HTTP status
    print(error.httpStatus);
  }
  if (error instanceof RequestError) is<Same<typeof error.field, string | undefined>>();
  if (error instanceof TimeoutError) is<Same<typeof error.timeoutMs, number>>();
  if (error instanceof TrackingTimeout) is<Same<typeof error.pending, readonly bigint[]>>();
  if (error instanceof ConnectionError) is<Same<typeof error.code, string>>();
  if (error instanceof ConfigurationError) is<Same<typeof error.outcome, Outcome>>();
}

// @ts-expect-error the base class of the errors is abstract
export const base = new MessagingError();

function print(value: unknown): void {
  console.log(value);
}
