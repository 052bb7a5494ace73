export type { ApiReceive } from '../generated/v1/definitions/ApiReceive';
export type { ApiSelect } from '../generated/v1/definitions/ApiSelect';
export { MessagingClient } from './client';
export type { OptionProblem } from './errors';
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
export { bigintReplacer } from './json';
export { describeText, type TextDescription } from './messages/describe-text';
export type { TrackedStatus } from './messages/track';
export type { CallOptions } from './options/call';
export type { MessagingOptions } from './options/client';
export type { TlsOptions } from './options/tls';
export type { TrackOptions } from './options/track';
export type { CallTrace, WireMessage } from './soap/channels';
export type {
  MessagingRequest,
  MessagingResponse,
  MessagingResult,
  OperationName,
  RequestDefaults,
  SoapVersion,
} from './types';
