export type { ReceivedMessage } from './inbox';
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
} from './replies';
export type { SandboxAnswer, SandboxRequest } from './request-log';
export { type Sandbox, type SandboxClientOptions, startSandbox } from './sandbox';
