// The JSON of the control interface, as the page reads it.

export interface MessageJson {
  messageid: string;
  message?: string;
  sender?: string;
  receptor?: string;
  /** Seconds since 1970; a string beyond 2^53. */
  date: number | string;
}

export interface SentJson extends MessageJson {
  status: number;
  statustext?: string;
  cost: number;
}

export interface ReceivedJson extends MessageJson {
  isread: 0 | 1;
}

export interface RequestJson {
  id: string;
  date: number | string;
  operation?: string;
  soapVersion?: string;
  method: string;
  url: string;
  headers: Record<string, string | string[]>;
  body: string;
  response: { status: number; headers: Record<string, string>; body: string } | null;
  /** Absent before the response. */
  summary?: string;
  durationMs?: number;
}

export interface ReplyJson {
  id: string;
  operation: string;
  /** Null for a reply without an end. */
  times: number | null;
  reply: {
    fault?: { code: string; reason: string };
    result?: unknown;
    status?: number;
    http?: { status: number };
    drop?: 'before' | 'after';
    delayMs?: number;
  };
}

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
