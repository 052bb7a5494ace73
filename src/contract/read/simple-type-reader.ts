import { abbreviate } from '../../internal/strings';
import type { EnumerationType, ForeignType, SimpleType } from '../model/model';
import { simpleTypeNames } from '../model/model';
import { type Component, contentOf, type SchemaIndex } from './schemas';
import { type QName, XSD_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

type ValueType = SimpleType | EnumerationType | ForeignType;

export const supportedTypes = `${simpleTypeNames.join(', ')} and enumerations of strings`;

/** Types of text: xsd's own, and restrictions of them. */
export class SimpleTypeReader {
  readonly #index: SchemaIndex;
  /** A type is read once, whatever the number of elements that have it. */
  readonly #known = new Map<XmlElement, ValueType>();

  constructor(index: SchemaIndex) {
    this.#index = index;
  }

  /** A type of XML Schema itself. */
  readBuiltIn({ local }: QName, from: XmlElement, label: string): SimpleType | ForeignType {
    const name = simpleTypeNames.find((candidate) => candidate === local);
    if (name) return { kind: 'simple', name };
    return this.#foreign(from, label, `xsd:${local}`, `use one of ${supportedTypes}`);
  }

  /** @param depth how many restrictions led here; a chain of them may be a circle */
  read(component: Component, label: string, depth = 0): ValueType {
    const { element } = component;
    const known = this.#known.get(element);
    const type = known ?? this.#readNew(component, label, depth);
    this.#known.set(element, type);
    return type;
  }

  #readNew({ element, schema }: Component, label: string, depth: number): ValueType {
    const [restriction] = contentOf(element).children;
    if (restriction?.local !== 'restriction') {
      const kind = restriction ? `xsd:${restriction.local}` : 'an empty simpleType';
      return this.#foreign(element, label, kind, `use one of ${supportedTypes}`);
    }
    const base = this.#readBase({ element: restriction, schema }, label, depth);
    const facets = contentOf(restriction).children.filter(({ local }) => local !== 'simpleType');
    if (facets.length === 0) return base;
    const isText = base.kind === 'enumeration' || (base.kind === 'simple' && base.name === 'string');
    if (isText && facets.every(({ local }) => local === 'enumeration')) {
      return { kind: 'enumeration', values: this.#readValues(facets) };
    }
    const limits = facets.map(({ local, attributes }) => `${local} ${attributes.get('value') ?? ''}`.trim());
    const baseName =
      base.kind === 'enumeration' ? 'an enumeration' : base.kind === 'simple' ? `xsd:${base.name}` : base.name;
    const name = abbreviate(`${baseName} with ${limits.join(', ')}`, 200);
    return this.#foreign(restriction, label, name, 'use the type without the limit');
  }

  #readBase({ element, schema }: Component, label: string, depth: number): ValueType {
    const [inline] = contentOf(element).children.filter(({ local }) => local === 'simpleType');
    if (inline) return this.read({ element: inline, schema }, label, depth + 1);
    const name = this.#index.reference(element, 'base');
    if (!name) return { kind: 'foreign', name: 'unknown' };
    if (name.uri === XSD_NAMESPACE) return this.readBuiltIn(name, element, label);
    if (depth > MAX_DEPTH) {
      this.#index.report('broken', element, `simpleType ${name.local} restricts itself`);
      return { kind: 'foreign', name: 'unknown' };
    }
    const base = this.#index.find('simpleType', name, element);
    return base ? this.read(base, label, depth + 1) : { kind: 'foreign', name: 'unknown' };
  }

  #readValues(facets: readonly XmlElement[]): string[] {
    const values = new Set<string>();
    for (const facet of facets) {
      const value = this.#index.attribute(facet, 'value');
      if (value === undefined) continue;
      if (values.has(value)) this.#index.report('broken', facet, `the value ${value} occurs twice in one enumeration`);
      values.add(value);
    }
    return [...values];
  }

  #foreign(from: XmlElement, label: string, name: string, advice: string): ForeignType {
    this.#index.report('unsupported', from, `${label}: ${name} is not supported: ${advice}`);
    return { kind: 'foreign', name };
  }
}

const MAX_DEPTH = 20;
