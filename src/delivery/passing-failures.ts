import {
  AbortError,
  ConfigurationError,
  ConnectionError,
  FaultError,
  HttpError,
  MessagingError,
  RequestError,
} from '../errors';

/** True for a failure that the next request may not have: not a refusal, a wrong setting, a closed client or an abort. */
export function isPassing(error: unknown): error is MessagingError {
  if (!(error instanceof MessagingError)) return false;
  if (error instanceof AbortError || error instanceof ConfigurationError || error instanceof RequestError) return false;
  if (error instanceof ConnectionError) return error.code !== 'CLOSED';
  // 429 asks for fewer requests.
  const isBusy = (error instanceof HttpError || error instanceof FaultError) && error.httpStatus === 429;
  return isBusy || error.outcome !== 'rejected';
}
