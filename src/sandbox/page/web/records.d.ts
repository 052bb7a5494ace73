import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../../generated/v1/definitions/ApiSelect';
import type { TextDescription } from '../../../messages/describe-text';
import type { ArmedReply } from '../../replies/replies';
import type { RequestField, SandboxRequest, SandboxResponse } from '../../store/request-log';

// The records of the control interface in JSON.

/** An id becomes a string; a date becomes a number of seconds, or a string beyond 2^53. */
type Json<T> = { [K in keyof T]: K extends 'date' ? number | string : T[K] extends bigint ? string : T[K] };

/** `call` is the same for all messages of one call. */
export type SentJson = Json<ApiSelect> & { call: string };
export type ReceivedJson = Json<ApiReceive> & { isread: 0 | 1 };
export type RequestJson = Omit<Json<SandboxRequest>, 'response'> & { response: SandboxResponse | null };
/** `times` is null for a reply without an end. */
export type ReplyJson = Omit<ArmedReply, 'times'> & { times: number | null };
export type Fields = Readonly<Record<string, RequestField>>;

/** A sent message with the facts that a list leaves out. */
export type DetailsJson = SentJson &
  Pick<TextDescription, 'encoding' | 'characters' | 'units' | 'parts'> & {
    operation: string;
    mode: number;
    request: RequestJson | null;
  };

/** A call that has sent messages, some of which are found. */
export interface CallJson {
  readonly id: string;
  readonly operation: string;
  readonly date: number | string;
  readonly sender: string | undefined;
  readonly messages: number;
  readonly cost: number;
  readonly statuses: Record<string, number>;
  readonly found: number;
  readonly first: SentJson;
}

export interface ConversationJson {
  readonly line: string;
  readonly number: string;
  readonly unread: number;
  /** The last message of either side. */
  readonly last: SentJson | ReceivedJson;
}

/** The messages of a conversation, newest first. */
export interface TalkJson {
  readonly line: string;
  readonly number: string;
  readonly found: number;
  readonly messages: readonly (
    | ({ readonly direction: 'sent' } & SentJson)
    | ({ readonly direction: 'received' } & ReceivedJson)
  )[];
}

/** A row of a list. */
export type Row = CallJson | ConversationJson | RequestJson;

/** An item that is opened beside the list. A call comes with the details of one of its messages. */
export type Item = DetailsJson | { readonly call: CallJson; readonly details: DetailsJson } | TalkJson | RequestJson;
