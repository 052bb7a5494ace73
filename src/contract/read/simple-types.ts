import { abbreviate } from '../../internal/text';
import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { ValueType } from '../model/model';
import { isTypeWithin } from '../model/simple-types';
import { contentOf, type Definitions } from './definitions';
import type { Scope } from './scope';
import { type QName, readAttribute, readReference } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** The types of XML Schema that an element may have, from the narrowest. */
const supportedTypes: readonly string[] = ['short', 'int', 'long', 'boolean', 'string'];

const USE_SUPPORTED = `the service has to use one of ${supportedTypes.join(', ')} and enumerations of strings`;

/** The values of each facet of a type. A restriction replaces the facets of the type that it restricts. */
type Facets = ReadonlyMap<string, readonly string[]>;

/** Reads a restriction of a type of XML Schema. */
export function readSimpleType(element: XmlElement, scope: Scope, definitions: Definitions): ValueType {
  const facets = new Map<string, readonly string[]>();
  let type: XmlElement | undefined = element;
  for (let depth = 0; type; depth++) {
    const [restriction]: readonly XmlElement[] = contentOf(type).children;
    if (restriction?.local !== 'restriction') {
      // A union or a list.
      const refused = scope.refuseType(element, `xsd:${restriction?.local ?? 'simpleType'}`, USE_SUPPORTED);
      return { ...refused, simple: { base: 'anySimpleType', isRestricted: false } };
    }
    const { children } = contentOf(restriction);
    const inline = children.find(({ local }) => local === 'simpleType');
    const own = facetsOf(restriction);
    for (const [name, values] of own) if (!facets.has(name)) facets.set(name, values);
    const base: QName | undefined = inline ? undefined : readReference(restriction, 'base');
    if (base?.uri === XSD_NAMESPACE) return readBuiltIn(base.local, element, scope, facets);
    type = inline ?? (base && definitions.findByName('simpleType', base, restriction));
    if (depth < MAX_DEPTH) continue;
    const advice = `restrict a type of XML Schema in at most ${MAX_DEPTH} steps`;
    const text = `simpleType ${element.attributes.get('name')} restricts itself: ${advice}`;
    element.report('broken', text);
    break;
  }
  return { kind: 'unsupported', name: 'an unknown type' };
}

const MAX_DEPTH = 20;

/** A type may be restricted any number of times, so its own facets are read once. */
const known = new WeakMap<XmlElement, Facets>();

function facetsOf(restriction: XmlElement): Facets {
  if (!known.has(restriction)) {
    const facets = new Map<string, Set<string>>();
    for (const element of contentOf(restriction).children.filter(({ local }) => local !== 'simpleType')) {
      const value = readAttribute(element, 'value');
      const values = facets.get(element.local) ?? new Set();
      if (value !== undefined) facets.set(element.local, values.add(value));
    }
    known.set(restriction, new Map([...facets].map(([name, values]) => [name, [...values]])));
  }
  return known.get(restriction) as Facets;
}

/** The length of the words for a type, in characters. Each value takes at least four, and a type may have many. */
const MAX_WORDS = 200;

/** Reads a type of XML Schema itself, or its restriction by facets. */
export function readBuiltIn(base: string, from: XmlElement, scope: Scope, facets: Facets = new Map()): ValueType {
  const values = facets.get('enumeration');
  if (facets.size === 0) {
    if (base === 'string') return { kind: 'text' };
    if (base === 'boolean') return { kind: 'boolean' };
    if (base === 'short' || base === 'int' || base === 'long') return { kind: 'integer', type: base };
  } else if (values && facets.size === 1 && base === 'string') {
    return { kind: 'enumeration', values };
  }
  const wider = supportedTypes.find((name) => isTypeWithin(base, name));
  const advice = wider
    ? `write xsd:${wider} in this file; in a request, the service may then refuse some of its values`
    : USE_SUPPORTED;
  const limits = [...facets].map(([name, texts]) => `${name} ${texts.slice(0, MAX_WORDS / 4).join(' or ')}`);
  const words = abbreviate(`xsd:${base}${limits.length > 0 ? ` with ${limits.join(', ')}` : ''}`, MAX_WORDS);
  const refused = scope.refuseType(from, words, advice);
  return base === 'anyType' ? refused : { ...refused, simple: { base, isRestricted: facets.size > 0 } };
}
