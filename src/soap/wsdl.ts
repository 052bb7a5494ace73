import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { service } from '../../generated/operations';
import { escapeAttribute } from '../xml/escape';
import { resolveReferences } from '../xml/references';

/** The hand-written WSDL, as a path in the folder of this package. */
export const WSDL_PATH = 'wsdl/messaging.v1.wsdl';

/** The path of the service without the query that its address may have. */
export const endpointPath: string = service.path.replace(/\?.*/, '');

/** Returns the address of the WSDL of the service at an address. */
export function wsdlAddressOf(address: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}wsdl`;
}

/** The text of the WSDL. It is read when it is first needed, because a call does not need it. */
let text: string | undefined;

/**
 * Returns the hand-written WSDL with this namespace and address, without its comments, which are for the maintainer of
 * the file. Other texts do not change.
 */
export function formatWsdl(namespace: string, address: string): string {
  text ??= readFileSync(findWsdl(__dirname), 'utf8');
  return text.replace(TAG, (tag: string, name: string | undefined) =>
    name === undefined
      ? tag.replace(/^<!--[\s\S]*/, '')
      : tag.replace(ATTRIBUTE, (whole: string, attribute: string, quoted: string) => {
          const value = placedValue(name.replace(/^.*:/, ''), attribute, quoted, namespace, address);
          return value === undefined ? whole : `${attribute}="${escapeAttribute(value)}"`;
        }),
  );
}

/** Finds the WSDL in the nearest folder above: this code runs from src, from dist/src, or from a bundle. */
function findWsdl(folder: string): string {
  const path = join(folder, WSDL_PATH);
  if (existsSync(path)) return path;
  if (dirname(folder) !== folder) return findWsdl(dirname(folder));
  throw new Error(`no folder above ${__dirname} has ${WSDL_PATH}: copy this file of messaging-soap beside your bundle`);
}

/** Matches a start tag with its name, and what can contain a text like a start tag. */
const TAG = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<([^\s/>!?]+)(?:[^"'>]|"[^"]*"|'[^']*')*>/g;
const ATTRIBUTE = /([^\s="']+)\s*=\s*("[^"]*"|'[^']*')/g;

/** Returns the new value of an attribute; undefined for an attribute with neither the namespace nor the address. */
function placedValue(
  element: string,
  attribute: string,
  quoted: string,
  namespace: string,
  address: string,
): string | undefined {
  if (element === 'address' && attribute === 'location') return address;
  const value = resolveReferences(quoted.slice(1, -1));
  // The generator accepts no soapAction that does not begin with the namespace.
  if (attribute === 'soapAction') return value && namespace + value.slice(service.namespace.length);
  const holdsNamespace = /^(?:targetNamespace|namespace|xmlns(?::.*)?)$/.test(attribute);
  return holdsNamespace && value === service.namespace ? namespace : undefined;
}
