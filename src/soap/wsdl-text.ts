import { service } from '../../generated/operations';
import { wsdl } from '../../generated/wsdl';
import { escapeAttribute } from '../xml/escape';

/** The WSDL with a real namespace and a real address in place of its placeholders. */
export function formatWsdl(namespace: string, address: string): string {
  // Split first, so that a placeholder inside the real address stays what it is.
  return wsdl
    .split(service.address)
    .map((part) => part.split(service.namespace).join(escapeAttribute(namespace)))
    .join(escapeAttribute(address));
}
