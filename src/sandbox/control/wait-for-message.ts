import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { RunningSandbox } from '../service/running-sandbox';
import type { HttpResponse } from '../wire/http-response';

/** A response that is sent later. It returns a function that cancels the response, as when the caller leaves. */
export type LateResponse = (respond: (response: HttpResponse) => void) => () => void;

/** Responds as soon as a message matches that was not sent yet, and after a time without one. */
export function waitForMessage(
  { sentListeners }: RunningSandbox,
  matches: (record: ApiSelect) => boolean,
  waitMs: number,
  respond: () => HttpResponse,
): LateResponse {
  return (give) => {
    const stop = (): void => {
      clearTimeout(timer);
      sentListeners.delete(listener);
    };
    const finish = (): void => {
      stop();
      give(respond());
    };
    const listener = (record: ApiSelect): void => {
      if (!matches(record)) return;
      stop();
      // The rest of the same call is sent by then.
      queueMicrotask(finish);
    };
    const timer = setTimeout(finish, waitMs);
    sentListeners.add(listener);
    return stop;
  };
}
