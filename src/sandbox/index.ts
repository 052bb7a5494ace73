export type { SandboxOptions } from './options';
export type {
  ArmedReply,
  DelayReply,
  DropReply,
  FaultReply,
  HttpReply,
  RawResult,
  Reply,
  ReplyHandle,
  ReplyOptions,
  ResultReply,
  StatusReply,
} from './replies/replies';
export { type Sandbox, type SandboxClientOptions, startSandbox } from './sandbox';
export type { SandboxDelivery, SandboxDeliveryReceptor, SandboxDeliveryStep } from './store/delivery';
export type { ReceivedMessage } from './store/messages';
export type { SandboxRequest, SandboxResponse } from './store/request-log';
