export type { SandboxOptions } from './options';
export { type Sandbox, type SandboxClientOptions, startSandbox } from './sandbox';
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
} from './service/replies';
export type { SandboxRequest, SandboxResponse } from './service/request-log';
export type { SandboxDelivery, SandboxDeliveryReceptor, SandboxDeliveryStep } from './store/delivery-setting';
export type { ReceivedMessage } from './store/received-messages';
