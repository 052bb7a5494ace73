import { versions } from '../../soap/elements/envelope';
import type { SoapVersion } from '../../types';

/** An HTTP answer, ready to be sent. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** An answer with the headers that ASMX sends. It sends another Cache-Control when it refuses a request unread. */
export function soapAnswer(
  status: number,
  version: SoapVersion,
  body: string,
  cacheControl: 'private' | 'private, max-age=0' = 'private, max-age=0',
): HttpAnswer {
  return { status, headers: { 'Cache-Control': cacheControl, 'Content-Type': versions[version].contentType }, body };
}
