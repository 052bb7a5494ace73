import type { HttpResponse } from '../http';
import type { KeptReceived, SentMessage } from '../store/changes';
import type { SandboxRequest } from '../store/request-log';

/** Writes a value as JSON. A long becomes a string, a date a number or a string beyond 2^53, and bytes become text. */
export function writeJson(value: unknown, mask?: (text: string) => string): string {
  return JSON.stringify(value, (name, part) => {
    if (typeof part === 'bigint') {
      return name === 'date' && Number.isSafeInteger(Number(part)) ? Number(part) : String(part);
    }
    if (part instanceof Uint8Array) return Buffer.from(part).toString();
    return mask !== undefined && typeof part === 'string' ? mask(part) : part;
  });
}

export function jsonResponse(status: number, value: unknown, mask?: (text: string) => string): HttpResponse {
  return jsonTextResponse(status, writeJson(value, mask));
}

export function problem(status: number, error: string): HttpResponse {
  return jsonResponse(status, { error });
}

export function jsonTextResponse(status: number, json: string): HttpResponse {
  return { status, headers: { 'Content-Type': 'application/json' }, body: `${json}\n` };
}

export function messageJson({ record, call }: SentMessage): object {
  return { ...record, call };
}

export function receivedJson({ record, isread }: KeptReceived): object {
  return { ...record, isread };
}

/** Masks the content of every apikey element. The reader masks the accepted keys. */
export function requestJson(request: SandboxRequest): object {
  return { ...request, body: request.body.replace(KEY_CONTENT, '$1***'), response: request.response ?? null };
}

// V8's matcher runs out of stack on megabytes, so the lengths of a prefix and of attributes are limited.
const NAME = '(?:[^\\s<>/:]{0,1000}:)?apikey';
const START = `<${NAME}(?:\\s[^<>]{0,1000})?(?<!/)>`;
const END = `</${NAME}[\\s>]`;

/**
 * The content of an apikey element in the text of a request, which need not be XML. It may hold the key in a spelling
 * that no mask of the key knows, such as CDATA sections. Without an end tag, everything after the start tag counts.
 */
const KEY_CONTENT = new RegExp(`(${START})(?!${END})[^]*?(?=${END}|$)`, 'g');
