import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../../generated/v1/definitions/ApiSelect';
import type { ArmedReply } from '../../service/replies';
import type { SandboxRequest, SandboxResponse } from '../../service/request-log';

// The JSON of the control interface, as the page reads it.

/** An id becomes a string; a date becomes a number of seconds, or a string beyond 2^53. */
type Json<T> = { [K in keyof T]: K extends 'date' ? number | string : T[K] extends bigint ? string : T[K] };

export type SentJson = Json<ApiSelect>;
export type ReceivedJson = Json<ApiReceive> & { isread: 0 | 1 };
export type RequestJson = Omit<Json<SandboxRequest>, 'response'> & { response: SandboxResponse | null };
/** `times` is null for a reply without an end. */
export type ReplyJson = Omit<ArmedReply, 'times'> & { times: number | null };

export interface OverviewJson {
  endpoint: string;
  messages: number;
  received: number;
  credit: string;
}

/** The facts of the service that never change. */
export interface ServiceJson {
  /** The names of the operations. */
  operations: string[];
  /** Commands that send a first message. */
  examples: { cli: string; curl: string };
}

/** An item of a list. */
export type Item = SentJson | ReceivedJson | RequestJson;
export type ListName = 'sent' | 'received' | 'requests';
