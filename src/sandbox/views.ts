import type { IncomingHttpHeaders } from 'node:http';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import { bigintReplacer } from '../json';
import type { InboxEntry } from './inbox';
import { maskApikey } from './mask-apikey';
import type { ArmedReply } from './replies';
import type { SandboxRequest } from './request-log';

/** JSON text. A long becomes a string, and a body of bytes its text. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, bigintReplacer);
}

/** A sent message as the control interface shows it. */
export function messageView(record: ApiSelect): object {
  return { ...record, date: secondsView(record.date) };
}

/** A received message as the control interface shows it. */
export function receivedView({ record, isread }: InboxEntry): object {
  return { ...record, date: secondsView(record.date), isread };
}

/** An armed reply as the control interface shows it: `times` is null for one without an end. */
export function replyView({ reply, times, ...rest }: ArmedReply): object {
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

/** A request as the control interface shows it, with each API key masked wherever it stands, and all of an apikey element. */
export function requestView(request: SandboxRequest, mask: (text: string) => string): object {
  const { date, url, headers, body, answer = null } = request;
  return {
    ...request,
    date: secondsView(date),
    url: mask(url),
    headers: maskHeaders(headers, mask),
    body: mask(maskApikey(body)),
    answer: answer && { ...answer, headers: maskHeaders(answer.headers, mask), body: mask(answer.body) },
  };
}

function maskHeaders(headers: IncomingHttpHeaders, mask: (text: string) => string): IncomingHttpHeaders {
  const masked = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(mask) : value && mask(value),
  ]);
  return Object.fromEntries(masked);
}

/** A number, and beyond 2^53 a string, since a number would lose digits. */
function secondsView(date: bigint): number | string {
  const seconds = Number(date);
  return Number.isSafeInteger(seconds) ? seconds : String(date);
}
