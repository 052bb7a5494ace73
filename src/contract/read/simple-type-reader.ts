import { abbreviate } from '../../internal/strings';
import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { SimpleType, ValueType } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { isRangeWithin } from '../model/ranges';
import { contentOf, type Definitions } from './definitions';
import type { Scope } from './extensions';
import { type QName, readAttribute, readReference } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** The types of XML Schema that an element may have, from the narrowest. */
const supportedTypes: readonly string[] = ['short', 'int', 'long', 'boolean', 'string'];

const USE_SUPPORTED = `the service has to use one of ${supportedTypes.join(', ')} and enumerations of strings`;

/** One facet of one restriction. Several patterns, or several values of an enumeration, are alternatives. */
interface Facet {
  readonly name: string;
  readonly values: readonly string[];
}

/** A type of XML Schema, and the facets that restrict it. */
interface Restriction {
  readonly base: string;
  readonly facets: readonly Facet[];
}

/** Reads simple types: those of XML Schema, and restrictions of them. */
export class SimpleTypeReader {
  readonly #definitions: Definitions;
  readonly #problems: ContractProblems;
  /** A type is read once for all elements that have it. */
  readonly #known = new Map<XmlElement, ValueType>();

  constructor(definitions: Definitions, problems: ContractProblems) {
    this.#definitions = definitions;
    this.#problems = problems;
  }

  /** Reads a type of XML Schema itself. */
  readBuiltIn({ local }: QName, from: XmlElement, scope: Scope): ValueType {
    return this.#typeOf({ base: local, facets: [] }, from, scope);
  }

  read(element: XmlElement, scope: Scope): ValueType {
    let type = this.#known.get(element);
    if (!type) {
      const found = this.#readRestriction(element);
      type =
        typeof found === 'string'
          ? { ...scope.refuseType(element, found, USE_SUPPORTED), simple: ANY_SIMPLE_TYPE }
          : this.#typeOf(found, element, scope);
      this.#known.set(element, type);
    }
    return type;
  }

  /** Follows restrictions to a built-in type. Returns the name of any other type. */
  #readRestriction(element: XmlElement): Restriction | string {
    const facets: Facet[] = [];
    let type = element;
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const [restriction] = contentOf(type).children;
      if (restriction?.local !== 'restriction') return restriction ? nameOf(restriction) : 'an empty simpleType';
      const { children } = contentOf(restriction);
      facets.unshift(...this.#readFacets(children.filter(({ local }) => local !== 'simpleType')));
      const inline = children.find(({ local }) => local === 'simpleType');
      const name = inline ? undefined : readReference(restriction, 'base', this.#problems);
      if (name?.uri === XSD_NAMESPACE) return { base: name.local, facets };
      const base = inline ?? (name && this.#definitions.findByName('simpleType', name, restriction));
      if (!base) return 'an unknown type';
      type = base;
    }
    const advice = `restrict a type of XML Schema in fewer than ${MAX_DEPTH} steps`;
    this.#problems.add('broken', element, `simpleType ${element.attributes.get('name')} restricts itself: ${advice}`);
    return 'an unknown type';
  }

  #readFacets(elements: readonly XmlElement[]): Facet[] {
    const byName = new Map<string, Set<string>>();
    for (const element of elements) {
      const value = readAttribute(element, 'value', this.#problems);
      if (value === undefined) continue;
      const values = byName.get(element.local) ?? new Set();
      const text = `${element.local} ${value} occurs twice in one type: remove one of them`;
      if (values.has(value)) this.#problems.add('refused', element, text);
      byName.set(element.local, values.add(value));
    }
    return [...byName].map(([name, values]) => ({ name, values: [...values] }));
  }

  #typeOf({ base, facets }: Restriction, from: XmlElement, scope: Scope): ValueType {
    const narrowest = facets.at(-1);
    if (!narrowest) {
      if (base === 'string') return { kind: 'text' };
      if (base === 'boolean') return { kind: 'boolean' };
      if (base === 'short' || base === 'int' || base === 'long') return { kind: 'integer', type: base };
    } else if (base === 'string' && facets.every(({ name }) => name === 'enumeration')) {
      return { kind: 'enumeration', values: narrowest.values };
    }
    const wider = supportedTypes.find((name) => name === base || isRangeWithin(base, name));
    const advice = wider
      ? `write xsd:${wider} in this file; in a request, the service may then refuse some of its values`
      : USE_SUPPORTED;
    const limits = facets.map(({ name, values }) => `${name} ${values.join(' or ')}`);
    const words = abbreviate(`xsd:${base}${limits.length > 0 ? ` with ${limits.join(', ')}` : ''}`, 200);
    const refused = scope.refuseType(from, words, advice);
    return base === 'anyType' ? refused : { ...refused, simple: { base, isRestricted: facets.length > 0 } };
  }
}

const MAX_DEPTH = 20;

/** The type of a union or a list. */
const ANY_SIMPLE_TYPE: SimpleType = { base: 'anySimpleType', isRestricted: false };

/** Names a union or a list: "xsd:union of int, string". Equal types may differ in their prefixes. */
function nameOf(derivation: XmlElement): string {
  const types = derivation.attributes.get('memberTypes') ?? derivation.attributes.get('itemType') ?? '';
  const names = types.split(/\s+/).flatMap((type) => type.split(':').at(-1) || []);
  return abbreviate(`xsd:${derivation.local}${names.length > 0 ? ` of ${names.join(', ')}` : ''}`, 200);
}
