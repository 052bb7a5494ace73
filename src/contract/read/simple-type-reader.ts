import { abbreviate } from '../../internal/strings';
import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { ValueType } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { type Facet, isSpaceWithin, type ValueSpace } from '../model/value-spaces';
import { contentOf, type Definitions } from './definitions';
import type { Scope } from './extensions';
import { type QName, readAttribute, readReference } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** The types of XML Schema that an element may have, from the narrowest. */
const supportedTypes: readonly string[] = ['short', 'int', 'long', 'boolean', 'string'];

const USE_SUPPORTED = `the service has to use one of ${supportedTypes.join(', ')} and enumerations of strings`;

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
    return this.#typeOf({ builtIn: local, facets: [] }, from, scope);
  }

  read(element: XmlElement, scope: Scope): ValueType {
    let type = this.#known.get(element);
    if (!type) {
      const space = this.#readSpace(element);
      const isOther = typeof space === 'string';
      type = isOther ? scope.refuseType(element, space, USE_SUPPORTED) : this.#typeOf(space, element, scope);
      this.#known.set(element, type);
    }
    return type;
  }

  /** Follows restrictions to a built-in type. Returns the name of any other type. */
  #readSpace(element: XmlElement): ValueSpace | string {
    const facets: Facet[] = [];
    let type = element;
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const [restriction] = contentOf(type).children;
      if (restriction?.local !== 'restriction') return restriction ? nameOf(restriction) : 'an empty simpleType';
      const { children } = contentOf(restriction);
      facets.unshift(...this.#readFacets(children.filter(({ local }) => local !== 'simpleType')));
      const inline = children.find(({ local }) => local === 'simpleType');
      const name = inline ? undefined : readReference(restriction, 'base', this.#problems);
      if (name?.uri === XSD_NAMESPACE) return { builtIn: name.local, facets };
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

  #typeOf(space: ValueSpace, from: XmlElement, scope: Scope): ValueType {
    const { builtIn, facets } = space;
    const narrowest = facets.at(-1);
    if (!narrowest) {
      if (builtIn === 'string') return { kind: 'text' };
      if (builtIn === 'boolean') return { kind: 'boolean' };
      if (builtIn === 'short' || builtIn === 'int' || builtIn === 'long') return { kind: 'integer', type: builtIn };
    } else if (builtIn === 'string' && facets.every(({ name }) => name === 'enumeration')) {
      return { kind: 'enumeration', values: narrowest.values };
    }
    const wider = [builtIn, ...supportedTypes].find(
      (name) => supportedTypes.includes(name) && isSpaceWithin(space, { builtIn: name, facets: [] }),
    );
    const advice = wider
      ? `write xsd:${wider} in this file; in a request, the service may then refuse some of its values`
      : USE_SUPPORTED;
    return { ...scope.refuseType(from, describeSpace(space), advice), space };
  }
}

const MAX_DEPTH = 20;

/** Names a restriction: "xsd:string with maxLength 20". */
function describeSpace({ builtIn, facets }: ValueSpace): string {
  const limits = facets.map(({ name, values }) => `${name} ${values.join(' or ')}`);
  return abbreviate(`xsd:${builtIn}${limits.length > 0 ? ` with ${limits.join(', ')}` : ''}`, 200);
}

/** Names a union or a list: "xsd:union of int, string". The prefixes are left out, because they may differ in an equal type. */
function nameOf(derivation: XmlElement): string {
  const types = derivation.attributes.get('memberTypes') ?? derivation.attributes.get('itemType') ?? '';
  const names = types.split(/\s+/).flatMap((type) => type.split(':').at(-1) || []);
  return abbreviate(`xsd:${derivation.local}${names.length > 0 ? ` of ${names.join(', ')}` : ''}`, 200);
}
