import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../../generated/v1/definitions/ApiSelect';
import type { TextDescription } from '../../../messages/describe-text';
import type { ArmedReply } from '../../replies/replies';
import type { SandboxDelivery, SandboxDeliveryStep } from '../../store/delivery';
import type { SandboxRequest, SandboxResponse } from '../../store/request-log';

// The JSON of the control interface, as the page reads it.

/** An id becomes a string; a date becomes a number of seconds, or a string beyond 2^53. */
type Json<T> = { [K in keyof T]: K extends 'date' ? number | string : T[K] extends bigint ? string : T[K] };

export type SentJson = Json<ApiSelect>;
export type ReceivedJson = Json<ApiReceive> & { isread: 0 | 1 };
export type RequestJson = Omit<Json<SandboxRequest>, 'response'> & { response: SandboxResponse | null };
/** `times` is null for a reply without an end. */
export type ReplyJson = Omit<ArmedReply, 'times'> & { times: number | null };

export type StepJson = SandboxDeliveryStep;
export type DeliveryJson = SandboxDelivery;

/** A sent message with what its record does not say. */
export type DetailJson = SentJson &
  Pick<TextDescription, 'encoding' | 'characters' | 'units' | 'parts'> & {
    operation: string;
    mode: number;
    request: RequestJson | null;
  };

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
  /** The statuses that the sandbox knows, with their texts. */
  statuses: [status: number, text: string][];
}

/** An item of a list. */
export type Item = SentJson | ReceivedJson | RequestJson;
export type ListName = 'sent' | 'received' | 'requests';
