export type { ReceivedMessage } from './inbox';
export type { SandboxOptions } from './options';
export type {
  DelayReply,
  DropReply,
  FaultReply,
  HttpReply,
  RawResult,
  Reply,
  ReplyOptions,
  ResultReply,
  StatusReply,
} from './replies';
export type { SandboxRequest } from './request-log';
export { type Sandbox, type SandboxClientOptions, startSandbox } from './sandbox';
