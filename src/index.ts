// Imported file by file: the types of generated/v1/index.ts would need those of node-soap.
export type { ApiReceive } from '../generated/v1/definitions/ApiReceive';
export type { ApiSelect } from '../generated/v1/definitions/ApiSelect';
export { MessagingClient } from './client';
export type { TrackedStatus } from './delivery/track';
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
export type { OptionProblem } from './internal/option-table';
export { bigintReplacer } from './json';
export type { CallOptions, MessagingOptions, TlsOptions, TrackOptions } from './options';
export type { CallTrace, WireMessage } from './soap/call/channels';
export { describeText, type TextDescription } from './text/describe-text';
export type {
  MessagingRequest,
  MessagingResponse,
  MessagingResult,
  OperationName,
  RequestDefaults,
  SoapVersion,
} from './types';
