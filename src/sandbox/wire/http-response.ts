import { soapVersions } from '../../soap/versions';
import type { SoapVersion } from '../../types';

/** An HTTP response, ready to be sent. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A response with the headers of ASMX, which sends another Cache-Control when it refuses a request unread. */
export function soapResponse(
  status: number,
  version: SoapVersion,
  body: string,
  cacheControl: 'private' | 'private, max-age=0' = 'private, max-age=0',
): HttpResponse {
  return {
    status,
    headers: { 'Cache-Control': cacheControl, 'Content-Type': soapVersions[version].contentType },
    body,
  };
}
