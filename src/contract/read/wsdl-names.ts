import type { ProblemKind } from '../model/problems';
import type { XmlElement } from './xml-tree';

export const WSDL_NAMESPACE = 'http://schemas.xmlsoap.org/wsdl/';

/** The WSDL binding extensions of each SOAP version. */
export const soapBindings = {
  '1.1': { namespace: 'http://schemas.xmlsoap.org/wsdl/soap/', prefix: 'soap' },
  '1.2': { namespace: 'http://schemas.xmlsoap.org/wsdl/soap12/', prefix: 'soap12' },
} as const;

export interface QName {
  readonly uri: string;
  readonly local: string;
}

/** Returns the children of one name, in their order. */
export function childrenOf(parent: XmlElement, uri: string, local: string): XmlElement[] {
  return parent.children.filter((child) => child.uri === uri && child.local === local);
}

/** True for the spellings of true in XML Schema. */
export function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1';
}

/** Reads an attribute that the file must have. */
export function readAttribute(element: XmlElement, name: string, kind: ProblemKind = 'broken'): string | undefined {
  const value = element.attributes.get(name);
  if (value === undefined) element.report(kind, `${labelOf(element)} has no ${name}: add it`);
  return value;
}

/** Reads the name of a construct. Reports a name that is not valid, and returns it. */
export function readName(element: XmlElement, kind: ProblemKind = 'broken'): string | undefined {
  const name = readAttribute(element, 'name', kind);
  if (name !== undefined && !NC_NAME.test(name)) {
    element.report(kind, `${element.local} "${name}": not a valid XML name: choose another`);
  }
  return name;
}

const NAME_START =
  'A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF' +
  '\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
/** A name without a colon (Namespaces in XML 1.0, section 3). */
const NC_NAME = new RegExp(`^[${NAME_START}][${NAME_START}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040]*$`, 'u');

/** Reads the "tns:Name" that an attribute refers to. */
export function readReference(element: XmlElement, attribute: string, kind: ProblemKind = 'broken'): QName | undefined {
  const text = readAttribute(element, attribute, kind);
  if (text === undefined) return undefined;
  const colon = text.indexOf(':');
  const prefix = text.slice(0, Math.max(colon, 0));
  const uri = element.namespaceOf(prefix) ?? (prefix === '' ? '' : undefined);
  if (uri !== undefined) return { uri, local: text.slice(colon + 1) };
  element.report(kind, `${labelOf(element)}: the prefix of ${text} is not declared: declare it`);
  return undefined;
}

/**
 * Reads minOccurs and maxOccurs, which are 1 by default, and reports values that are not a range of numbers.
 *
 * @returns the range, and the attributes for messages
 */
export function readOccurs(element: XmlElement): { readonly min: number; readonly max: number; readonly text: string } {
  const { minOccurs = '1', maxOccurs = '1' } = Object.fromEntries(element.attributes);
  const numberOf = (text: string): number => (/^\+?\d+$/.test(text) ? Number(text) : Number.NaN);
  const min = numberOf(minOccurs);
  const max = maxOccurs === 'unbounded' ? Number.POSITIVE_INFINITY : numberOf(maxOccurs);
  const text = `minOccurs="${minOccurs}" and maxOccurs="${maxOccurs}" of ${labelOf(element)}`;
  if (min <= max) return { min, max, text };
  element.report('broken', `${text} are not a range of numbers: correct them`);
  return { min: 1, max: 1, text };
}

/** Names a construct for messages: "operation SendAdvance", "part". */
export function labelOf(element: XmlElement): string {
  const name = element.attributes.get('name');
  return name === undefined ? element.local : `${element.local} ${name}`;
}
