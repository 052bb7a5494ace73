import type { ContractProblems } from '../model/problems';
import type { XmlElement } from './xml-tree';

export const WSDL_NAMESPACE = 'http://schemas.xmlsoap.org/wsdl/';
export { XSD_NAMESPACE } from '../../xml/namespaces';

/** The WSDL binding extensions of each SOAP version. */
export const soapBindings = {
  '1.1': { namespace: 'http://schemas.xmlsoap.org/wsdl/soap/', prefix: 'soap' },
  '1.2': { namespace: 'http://schemas.xmlsoap.org/wsdl/soap12/', prefix: 'soap12' },
} as const;

export interface QName {
  readonly uri: string;
  readonly local: string;
}

/** Children of one name, in their order. */
export function childrenOf(parent: XmlElement, uri: string, local: string): XmlElement[] {
  return parent.children.filter((child) => child.uri === uri && child.local === local);
}

/** An attribute's "tns:Name" as a name in its namespace; undefined when the prefix stands for nothing. Blanks around it do not count. */
export function resolveQName(element: XmlElement, attribute: string): QName | undefined {
  const text = attribute.trim();
  const colon = text.indexOf(':');
  const prefix = text.slice(0, Math.max(colon, 0));
  const uri = element.namespaceOf(prefix) ?? (prefix === '' ? '' : undefined);
  return uri === undefined ? undefined : { uri, local: text.slice(colon + 1) };
}

/** A key for maps of named constructs. */
export function keyOf({ uri, local }: QName): string {
  return `{${uri}}${local}`;
}

/** An attribute without which the file is broken. */
export function readAttribute(element: XmlElement, name: string, problems: ContractProblems): string | undefined {
  const value = element.attributes.get(name);
  if (value === undefined) problems.add('broken', element, `${labelOf(element)} has no ${name}`);
  return value;
}

/** The name of a construct. One that is no name in XML is reported, and given. */
export function readName(element: XmlElement, problems: ContractProblems): string | undefined {
  const name = readAttribute(element, 'name', problems);
  if (name !== undefined && !NC_NAME.test(name)) {
    problems.add('broken', element, `${element.local} "${name}": this is no name in XML: choose another`);
  }
  return name;
}

const NAME_START =
  'A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF' +
  '\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
/** A name without a colon (Namespaces in XML 1.0, section 3). */
const NC_NAME = new RegExp(`^[${NAME_START}][${NAME_START}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040]*$`, 'u');

/** The name that an attribute refers to. */
export function readReference(element: XmlElement, attribute: string, problems: ContractProblems): QName | undefined {
  const text = readAttribute(element, attribute, problems);
  const name = text === undefined ? undefined : resolveQName(element, text);
  if (text !== undefined && !name) problems.add('broken', element, `${text}: the prefix is bound to no namespace`);
  return name;
}

/** "operation SendAdvance", "part" */
export function labelOf(element: XmlElement): string {
  const name = element.attributes.get('name');
  return name === undefined ? element.local : `${element.local} ${name}`;
}
