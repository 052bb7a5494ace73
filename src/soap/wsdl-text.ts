import { insertIntoWsdl } from '../../generated/wsdl';
import { escapeAttribute } from '../xml/escape';

/** Gives the WSDL of a service with this namespace and address. */
export function formatWsdl(namespace: string, address: string): string {
  return insertIntoWsdl(escapeAttribute(namespace), escapeAttribute(address));
}
