import type { HttpResponse } from '../http';
import type { KeptReceived, SentMessage } from '../store/changes';
import type { LastChange } from '../store/last-change';
import type { SandboxRequest } from '../store/request-log';
import { withoutKeys } from './mask-keys';

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

export function jsonResponse(status: number, value: unknown): HttpResponse {
  return jsonTextResponse(status, writeJson(value));
}

export function problem(status: number, error: string): HttpResponse {
  return jsonResponse(status, { error });
}

export function jsonTextResponse(status: number, json: string): HttpResponse {
  return { status, headers: { 'Content-Type': 'application/json' }, body: `${json}\n` };
}

export const NO_CONTENT: HttpResponse = { status: 204, headers: {}, body: '' };

/** Names the path that undoes a change, in a header of its response. @param undo returns false when it is too late */
export function undoable(lastChange: LastChange, response: HttpResponse, undo: () => boolean): HttpResponse {
  return { ...response, headers: { ...response.headers, Undo: `/sandbox/undo/${lastChange.keep(undo)}` } };
}

export function messageJson({ record, call }: SentMessage): object {
  return { ...record, call };
}

export function receivedJson({ record, isread }: KeptReceived): object {
  return { ...record, isread };
}

/** Masks what stands in the place of a key. The reader masks the accepted keys. */
export function requestJson(request: SandboxRequest): object {
  return { ...withoutKeys(request), response: request.response ?? null };
}
