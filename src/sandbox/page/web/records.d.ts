import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../../generated/v1/definitions/ApiSelect';
import type { TextDescription } from '../../../messages/describe-text';
import type { ArmedReply } from '../../replies/replies';
import type { SandboxDelivery } from '../../store/delivery';
import type { SandboxRequest, SandboxResponse } from '../../store/request-log';

// The JSON of the control interface, as the page reads it, and the state of the page.

/** An id becomes a string; a date becomes a number of seconds, or a string beyond 2^53. */
type Json<T> = { [K in keyof T]: K extends 'date' ? number | string : T[K] extends bigint ? string : T[K] };

/** `call` is the same for all messages of one call. */
export type SentJson = Json<ApiSelect> & { call: string };
export type ReceivedJson = Json<ApiReceive> & { isread: 0 | 1 };
export type RequestJson = Omit<Json<SandboxRequest>, 'response'> & { response: SandboxResponse | null };
/** `times` is null for a reply without an end. */
export type ReplyJson = Omit<ArmedReply, 'times'> & { times: number | null };

/** The facts about a sent message that its record lacks. */
export type DetailsJson = SentJson &
  Pick<TextDescription, 'encoding' | 'characters' | 'units' | 'parts'> & {
    operation: string;
    mode: number;
    request: RequestJson | null;
  };

export interface OverviewJson {
  /** Changes with each start and each reset, after which ids begin again. */
  started: string;
  endpoint: string;
  messages: number;
  /** The number of messages in each status. */
  statuses: Record<string, number>;
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

/** The user's choice of a list, an item and a filter. The address of the page holds it. */
export interface View {
  list: ListName;
  /** The id of the opened item. */
  id: string | null;
  search: string;
  status: string | null;
  /** The page of the list begins with the newest item before this id, or with the newest of all. */
  before: string | null;
  /** True while the page begins with its first item because the user has scrolled away from it. */
  isHeld: boolean;
}

/** The data that was loaded last. */
export interface Shown {
  list: ListName;
  overview: OverviewJson;
  items: Item[];
  /** The `before` of the next page, or null on the last page. */
  next: string | null;
  /** The id of the opened item, or else of the newest one on a wide page. */
  id: string | null;
  /** The item with this id; null when the sandbox has none. */
  item: Item | null;
  details: DetailsJson | null;
  replies: ReplyJson[];
  delivery: SandboxDelivery;
}

export type DialogName = 'receive' | 'reply' | 'delivery' | 'remove' | 'reset';

export interface State {
  view: View;
  shown: Shown | null;
  service: ServiceJson | null;
  connection: 'connecting' | 'live' | 'lost';
  /** The last failure, in words. */
  problem: string;
  dialog: DialogName | null;
  /** The time, in milliseconds since 1970. */
  now: number;
}
