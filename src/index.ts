export type { ApiReceive, ApiSelect } from '../generated/v1';
export { MessagingClient } from './client';
export {
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
} from './errors';
export type { MessagingOptions, TlsOptions } from './options';
export type { CallOptions } from './soap/port';
export type {
  MessagingRequest,
  MessagingResponse,
  MessagingResult,
  OperationName,
  RequestDefaults,
  SoapVersion,
} from './types';
