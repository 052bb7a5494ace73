export type { ApiReceive } from '../generated/v1/definitions/ApiReceive';
export type { ApiSelect } from '../generated/v1/definitions/ApiSelect';
export type { CallTrace, WireMessage } from './client/channels';
export { MessagingClient } from './client/client';
export type { CallOptions, StreamOptions } from './client/options/call';
export type { MessagingOptions } from './client/options/client';
export type { TrackOptions } from './client/options/track';
export type { TrackedStatus } from './client/track';
export type { OptionProblem, RequestProblem } from './errors';
export {
  AbortError,
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
} from './errors';
export type { TlsOptions } from './http/tls';
export { bigintReplacer } from './json';
export { describeText, type TextDescription } from './messages/describe-text';
export type {
  MessagingRequest,
  MessagingResponse,
  MessagingResult,
  OperationName,
  RequestDefaults,
  SoapVersion,
} from './types';
