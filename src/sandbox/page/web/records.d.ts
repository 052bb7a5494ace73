import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../../generated/v1/definitions/ApiSelect';
import type { TextDescription } from '../../../messages/describe-text';
import type { ArmedReply } from '../../replies/replies';
import type { SandboxRequest, SandboxResponse } from '../../store/request-log';

// The records of the control interface in JSON.

/** An id becomes a string; a date becomes a number of seconds, or a string beyond 2^53. */
type Json<T> = { [K in keyof T]: K extends 'date' ? number | string : T[K] extends bigint ? string : T[K] };

/** `call` is the same for all messages of one call. */
export type SentJson = Json<ApiSelect> & { call: string };
export type ReceivedJson = Json<ApiReceive> & { isread: 0 | 1 };
export type RequestJson = Omit<Json<SandboxRequest>, 'response'> & { response: SandboxResponse | null };
/** `times` is null for a reply without an end. */
export type ReplyJson = Omit<ArmedReply, 'times'> & { times: number | null };

/** A sent message with the facts that a list leaves out. */
export type DetailsJson = SentJson &
  Pick<TextDescription, 'encoding' | 'characters' | 'units' | 'parts'> & {
    operation: string;
    mode: number;
    request: RequestJson | null;
  };

/** An item of a list. */
export type Item = SentJson | ReceivedJson | RequestJson;
