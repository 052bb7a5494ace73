import type { IncomingHttpHeaders } from 'node:http';
import { truncate } from '../../internal/strings';
import { bigintReplacer } from '../../json';
import { describeText } from '../../messages/describe-text';
import type { HttpResponse } from '../http';
import type { ArmedReply } from '../replies/replies';
import type { KeptReceived, SentMessage } from '../store/changes';
import type { SandboxRequest } from '../store/request-log';
import type { SandboxEvent, SandboxState } from '../store/state';

// The JSON of the control interface and of its events.

/** Writes a value as JSON text. A long becomes a string. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, bigintReplacer);
}

export function jsonResponse(status: number, value: unknown): HttpResponse {
  return jsonTextResponse(status, writeJson(value));
}

export function jsonTextResponse(status: number, json: string): HttpResponse {
  return { status, headers: { 'Content-Type': 'application/json' }, body: `${json}\n` };
}

export function messageJson({ record, call }: SentMessage): object {
  return { ...record, date: secondsJson(record.date), call };
}

/** A message with what its record does not say and what its text takes. */
export function detailsJson(message: SentMessage): object {
  const { record, operation, mode } = message;
  const { encoding, characters, units, parts } = describeText(record.message ?? '');
  return { ...messageJson(message), operation, mode, encoding, characters, units, parts };
}

export function receivedJson({ record, isread }: KeptReceived): object {
  return { ...record, date: secondsJson(record.date), isread };
}

/** `times` is null for a reply without an end, and bytes become text. */
export function replyJson({ reply, times, ...rest }: ArmedReply): object {
  const { http } = reply;
  const isBytes = http?.body instanceof Uint8Array;
  return {
    ...rest,
    times: Number.isFinite(times) ? times : null,
    reply: isBytes
      ? { ...reply, http: { ...http, body: Buffer.from(http.body as Uint8Array).toString('utf8') } }
      : reply,
  };
}

/** Masks every API key, wherever it is, and the whole content of every apikey element. */
export function requestJson(request: SandboxRequest, mask: Mask): object {
  const { date, url, headers, body, response = null, ...rest } = request;
  return {
    ...rest,
    date: secondsJson(date),
    url: mask(url),
    headers: maskHeaders(headers, mask),
    body: shorten(mask(maskApikey(body))),
    response: response && {
      ...response,
      headers: maskHeaders(response.headers, mask),
      body: shorten(mask(response.body)),
    },
  };
}

/** The data of an event; undefined for an event that no reader is told of. */
export function eventJson(event: SandboxEvent, { mask, replies, sent }: SandboxState): object | undefined {
  switch (event.t) {
    case 'sent':
      return messageJson(event);
    case 'status':
      return messageJson(sent.find(event.messageid) as SentMessage);
    case 'received':
      return receivedJson(event);
    case 'request':
      return requestJson(event.request, mask);
    case 'removed':
      return { messageids: event.messageids };
    case 'delivery':
      return event.delivery;
    case 'replies':
      return { armed: replies.list.length };
    case 'reset':
      return {};
    default:
      return undefined;
  }
}

type Mask = (text: string) => string;

function maskHeaders(headers: IncomingHttpHeaders, mask: Mask): IncomingHttpHeaders {
  const masked = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(mask) : value && mask(value),
  ]);
  return Object.fromEntries(masked);
}

/** In UTF-16 units. JSON may write each unit as six, and the longest string of V8 has 512 Mi. */
const MAX_BODY = 16_777_216;

function shorten(body: string): string {
  if (body.length <= MAX_BODY) return body;
  const start = truncate(body, MAX_BODY);
  return `${start}… (${body.length - start.length} more characters)`;
}

/** A number, or a string beyond 2^53, where a number would lose digits. */
function secondsJson(date: bigint): number | string {
  const seconds = Number(date);
  return Number.isSafeInteger(seconds) ? seconds : String(date);
}

/**
 * A tag of the element up to its attributes. The length of a prefix is limited: V8's matcher runs out of stack on
 * megabytes.
 */
const START = /<(?:[^\s<>/:]{0,1000}:)?apikey(?=[\s>])/g;
const END = /<\/(?:[^\s<>/:]{0,1000}:)?apikey(?=[\s>])/g;

/**
 * Masks the whole content of each apikey element in the text of a request, which need not be XML. The element may hold
 * the key in a spelling that no mask of the key knows, such as CDATA sections. Without an end tag, everything after the
 * start tag is masked.
 */
function maskApikey(body: string): string {
  const parts: string[] = [];
  for (let position = 0; ; ) {
    START.lastIndex = position;
    const open = START.test(body) ? body.indexOf('>', START.lastIndex) : -1;
    END.lastIndex = open;
    const end = open < 0 ? undefined : END.exec(body)?.index;
    const isEmpty = end === undefined && body[open - 1] === '/';
    if (open < 0 || isEmpty) return parts.join('') + body.slice(position);
    parts.push(body.slice(position, open + 1), end === open + 1 ? '' : '***');
    if (end === undefined) return parts.join('');
    position = end;
  }
}
