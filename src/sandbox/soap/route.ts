import { type ContentType, parseContentType } from '../../internal/content-type';
import { soapVersions } from '../../soap/versions';
import type { OperationName, SoapVersion } from '../../types';
import { isOperationName } from './arguments';
import { unknownSoapAction } from './rejection';

/** The parts of an HTTP request that select the operation and carry its arguments. */
export interface SoapRequest {
  readonly contentType: ContentType;
  readonly soapAction: string | undefined;
  /** The decoded body. */
  readonly text: string;
}

/** The SOAP version of a media type. */
export function versionOfMediaType(mediaType: string): SoapVersion | undefined {
  return mediaTypeVersions.get(mediaType);
}

const mediaTypeVersions: ReadonlyMap<string, SoapVersion> = new Map(
  (['1.1', '1.2'] as const).map((version) => [parseContentType(soapVersions[version].contentType).mediaType, version]),
);

/** The operation that the HTTP headers name. The action of SOAP 1.2 may name none. */
export function routeByHeaders(
  { contentType, soapAction }: SoapRequest,
  version: SoapVersion,
  namespace: string,
): OperationName | undefined {
  if (version === '1.2') return operationOf(contentType.parameters.get('action') ?? '', namespace);
  if (soapAction === undefined) return undefined;
  const action = soapAction.replace(/^"(.*)"$/, '$1');
  const operation = operationOf(action, namespace);
  if (operation === undefined) throw unknownSoapAction(action);
  return operation;
}

/** The operation that an action names exactly, or undefined. */
function operationOf(action: string, namespace: string): OperationName | undefined {
  if (!action.startsWith(namespace)) return undefined;
  const name = action.slice(namespace.length);
  return isOperationName(name) ? name : undefined;
}
