import type { ContentType } from '../../internal/content-type';
import { soapVersions } from '../../soap/versions';
import type { SoapVersion } from '../../types';

/** The parts of an HTTP request that select the operation and carry its arguments. */
export interface SoapRequest {
  readonly contentType: ContentType;
  readonly soapAction: string | undefined;
  /** The decoded body. */
  readonly text: string;
}

const versions = Object.keys(soapVersions) as SoapVersion[];

export function versionOfMediaType(mediaType: string): SoapVersion | undefined {
  return versions.find((version) => soapVersions[version].contentType.startsWith(`${mediaType};`));
}

export function versionOfNamespace(namespace: string): SoapVersion | undefined {
  return versions.find((version) => soapVersions[version].namespace === namespace);
}
