import { soapVersions } from '../../soap/versions';
import type { SoapVersion } from '../../types';
import type { HttpResponse } from '../http';

/** The response that a request is given. */
export interface GivenResponse {
  /** Undefined drops the connection. */
  readonly response: HttpResponse | undefined;
  /** As in SandboxRequest. */
  readonly summary: string;
  /** Why the service did not do what it was asked for: the reason of a fault, or the words of a status. */
  readonly reason?: string | undefined;
}

/** A response with the headers of ASMX. */
export function soapResponse(
  status: number,
  version: SoapVersion,
  body: string,
  cacheControl: 'private' | 'private, max-age=0' = 'private, max-age=0',
): HttpResponse {
  const headers = { 'Cache-Control': cacheControl, 'Content-Type': soapVersions[version].contentType };
  return { status, headers, body };
}
