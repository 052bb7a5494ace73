import { versions } from '../../soap/elements/envelope';
import { parseContentType } from '../../soap/http/content-type';
import type { OperationName, SoapVersion } from '../../types';
import { isOperationName } from './arguments';
import { faultRejection } from './rejection';

/** The SOAP version that a media type stands for. */
export function versionOfMediaType(mediaType: string): SoapVersion | undefined {
  return mediaTypeVersions.get(mediaType);
}

const mediaTypeVersions: ReadonlyMap<string, SoapVersion> = new Map(
  (['1.1', '1.2'] as const).map((version) => [parseContentType(versions[version].contentType).mediaType, version]),
);

/** The operation that a SOAPAction header names; undefined without a header. */
export function routeByHeader(soapAction: string | undefined, namespace: string): OperationName | undefined {
  if (soapAction === undefined) return undefined;
  const action = soapAction.replace(/^"(.*)"$/, '$1');
  const operation = operationOf(action, namespace);
  if (operation !== undefined) return operation;
  const reason = `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`;
  throw faultRejection('1.1', { code: 'Client', reason });
}

/** The operation that an action names exactly, or undefined. */
export function operationOf(action: string, namespace: string): OperationName | undefined {
  if (!action.startsWith(namespace)) return undefined;
  const name = action.slice(namespace.length);
  return isOperationName(name) ? name : undefined;
}
