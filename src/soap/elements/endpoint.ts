import { service } from '../../../generated/operations';

/** The path of the service without the query that its address may have. */
export const endpointPath: string = service.path.replace(/\?.*/, '');

/** Gives the address of the WSDL of the service at an address. */
export function wsdlAddressOf(address: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}wsdl`;
}
