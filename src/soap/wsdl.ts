import { service } from '../../generated/operations';
import { insertIntoWsdl } from '../../generated/wsdl';
import { escapeAttribute } from '../xml/escape';

/** The path of the service without the query that its address may have. */
export const endpointPath: string = service.path.replace(/\?.*/, '');

/** Gives the address of the WSDL of the service at an address. */
export function wsdlAddressOf(address: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}wsdl`;
}

/** Gives the WSDL of a service with this namespace and address. */
export function formatWsdl(namespace: string, address: string): string {
  return insertIntoWsdl(escapeAttribute(namespace), escapeAttribute(address));
}
