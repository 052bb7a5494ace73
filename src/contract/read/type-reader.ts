import type { Feature, ForeignType, Message, ModelField, Place, Type } from '../model/model';
import { type Component, contentOf, type SchemaIndex } from './schemas';
import { SimpleTypeReader, supportedTypes } from './simple-type-reader';
import { labelOf, XSD_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** Where a field stands, and where what is said beside fields is collected. A record's fields are plain values. */
interface Scope {
  readonly container: 'message' | 'list' | 'record';
  /** The namespace that elements have to be in. */
  readonly namespace: string;
  readonly features: Feature[];
}

/** How often an element may come, as the schema says it. */
interface Occurrence {
  readonly field: ModelField;
  readonly minOccurs: string;
  readonly maxOccurs: string;
}

/** Reads the elements that requests and answers are, down to the fields of records. */
export class TypeReader {
  readonly #index: SchemaIndex;
  readonly #simple: SimpleTypeReader;
  /** A complex type is read once for messages and once for lists, whatever the number of elements that have it. */
  readonly #known = { message: new Map<XmlElement, Known>(), list: new Map<XmlElement, Known>() };
  /** An element is read once, whatever the number of operations that have it. */
  readonly #messages = new Map<XmlElement, Message>();

  constructor(index: SchemaIndex) {
    this.#index = index;
    this.#simple = new SimpleTypeReader(index);
  }

  /** @param component a global element */
  readMessage(component: Component): Message {
    const known = this.#messages.get(component.element);
    const message = known ?? this.#readNewMessage(component);
    this.#messages.set(component.element, message);
    return message;
  }

  #readNewMessage({ element, schema }: Component): Message {
    const scope: Scope = { container: 'message', namespace: schema.namespace, features: [] };
    const inline = contentOf(element).children.find(({ local }) => local === 'complexType');
    const type = inline ? { element: inline, schema } : this.#typeOf(element);
    const name = element.attributes.get('name') as string;
    let fields: ModelField[] = [];
    if (type?.element.local === 'complexType') {
      fields = this.#readContent(type, scope).map((occurrence) => this.#once(occurrence));
    } else if (type !== undefined) {
      this.#unsupported(scope, element, `element ${name} without elements in it`, 'give it a sequence of elements');
    }
    return { element: name, namespace: schema.namespace, fields, features: scope.features, place: element };
  }

  /** The type that an element names; xsd's own types stand for themselves. */
  #typeOf(element: XmlElement): Component | undefined {
    const name = this.#index.reference(element, 'type');
    if (!name) return undefined;
    const builtIn = { element, schema: { element, namespace: name.uri, qualified: true } };
    return name.uri === XSD_NAMESPACE ? builtIn : this.#index.findType(name, element);
  }

  #readContent({ element, schema }: Component, scope: Scope): Occurrence[] {
    const label = labelOf(element);
    const occurrences: Occurrence[] = [];
    for (const name of ['mixed', 'abstract']) {
      if (element.attributes.get(name) === 'true')
        this.#unsupported(scope, element, `${name}="true" of ${label}`, REMOVE);
    }
    for (const child of contentOf(element).children) {
      if (child.local === 'sequence' || child.local === 'all') {
        occurrences.push(...this.#readParticle({ element: child, schema }, scope));
      } else if (child.local === 'attribute' || child.local === 'anyAttribute') {
        const name = child.attributes.get('name') ?? child.attributes.get('ref') ?? '';
        const breaks = { requests: child.attributes.get('use') === 'required', answers: false };
        this.#unsupported(scope, child, `xsd:${child.local} ${name} of ${label}`, 'use an element', breaks);
      } else {
        this.#unsupported(scope, child, `xsd:${child.local} in ${label}`, SEQUENCE);
      }
    }
    return occurrences;
  }

  #readParticle({ element, schema }: Component, scope: Scope): Occurrence[] {
    if (element.local === 'all') this.#unsupported(scope, element, 'xsd:all', 'use xsd:sequence', NEITHER);
    if (occurs(element, 'minOccurs') !== '1' || occurs(element, 'maxOccurs') !== '1') {
      this.#unsupported(scope, element, `minOccurs or maxOccurs of an xsd:${element.local}`, REMOVE);
    }
    const byName = new Map<string, Occurrence>();
    for (const child of contentOf(element).children) {
      if (child.local !== 'element') {
        // What xsd:any lets in may be left out, and is passed over in an answer.
        this.#unsupported(scope, child, `xsd:${child.local}`, SEQUENCE, child.local === 'any' ? NEITHER : BOTH);
        continue;
      }
      const occurrence = this.#readField({ element: child, schema }, scope);
      if (!occurrence) continue;
      const { name } = occurrence.field;
      if (byName.has(name))
        this.#unsupported(scope, child, `element ${name} twice in one sequence`, 'rename one of them');
      byName.set(name, occurrence);
    }
    return [...byName.values()];
  }

  #readField(site: Component, scope: Scope): Occurrence | undefined {
    const { element } = site;
    const definition = element.attributes.has('ref') ? this.#referredTo(element) : site;
    const name = definition && this.#index.nameOf(definition.element);
    if (!definition || name === undefined) return undefined;
    const attributes = new Set([...element.attributes.keys(), ...definition.element.attributes.keys()]);
    const foreign = [...attributes].filter((attribute) => !FIELD_ATTRIBUTES.has(attribute));
    if (foreign.length > 0)
      this.#unsupported(scope, element, `attribute ${foreign.join(', ')} of element ${name}`, REMOVE);
    this.#checkNamespace(definition, element, scope);
    const type = this.#readType(definition, `element ${name}`, scope);
    const field = {
      name,
      type,
      optional: occurs(element, 'minOccurs') === '0',
      nillable: ['true', '1'].includes(definition.element.attributes.get('nillable') ?? ''),
      documentation: contentOf(element).documentation || contentOf(definition.element).documentation,
      place: element,
    };
    return { field, minOccurs: occurs(element, 'minOccurs'), maxOccurs: occurs(element, 'maxOccurs') };
  }

  #referredTo(element: XmlElement): Component | undefined {
    const name = this.#index.reference(element, 'ref');
    return name && this.#index.find('element', name, element);
  }

  #checkNamespace({ element, schema }: Component, site: XmlElement, scope: Scope): void {
    const form = element.attributes.get('form');
    const isLocal = element === site;
    const isQualified = !isLocal || (form === undefined ? schema.qualified : form === 'qualified');
    if (!isQualified) {
      const advice = 'set elementFormDefault="qualified" on the schema, and no form';
      this.#unsupported(scope, form === undefined ? schema.element : element, 'an element without a namespace', advice);
    } else if (schema.namespace !== scope.namespace) {
      const advice = `define them in ${scope.namespace}`;
      this.#unsupported(scope, schema.element, `an element in namespace ${schema.namespace}`, advice);
    }
  }

  #readType({ element, schema }: Component, label: string, scope: Scope): Type {
    const inline = contentOf(element).children.find(({ local }) => local === 'simpleType' || local === 'complexType');
    if (inline) return this.#readDefinedType({ element: inline, schema }, label, scope);
    if (!element.attributes.has('type'))
      return this.#foreign(element, label, 'xsd:anyType', `use one of ${supportedTypes}`);
    const name = this.#index.reference(element, 'type');
    if (name?.uri === XSD_NAMESPACE) return this.#simple.readBuiltIn(name, element, label);
    const type = name && this.#index.findType(name, element);
    return type ? this.#readDefinedType(type, label, scope) : UNDEFINED;
  }

  #readDefinedType(component: Component, label: string, scope: Scope): Type {
    const { element } = component;
    if (element.local === 'simpleType') return this.#simple.read(component, label);
    if (scope.container === 'record') {
      return this.#foreign(element, label, labelOf(element), 'a record holds plain values, no records or lists');
    }
    const known = this.#known[scope.container];
    let read = known.get(element);
    if (!read) {
      const own: Scope = { ...scope, features: [] };
      read = { type: this.#readComplexType(component, label, own), features: own.features };
      known.set(element, read);
    }
    scope.features.push(...read.features);
    return read.type;
  }

  #readComplexType(component: Component, label: string, scope: Scope): Type {
    const { element } = component;
    const name = element.attributes.get('name');
    if (!looksLikeList(element)) {
      const own: Scope = { ...scope, container: 'record', features: [] };
      const fields = this.#readContent(component, own).map((occurrence) => this.#once(occurrence));
      return { kind: 'record', name, fields, features: own.features, place: element };
    }
    if (scope.container === 'list') {
      return this.#foreign(element, label, 'a list of lists', 'a list holds plain values or records');
    }
    const [item] = this.#readContent(component, { ...scope, container: 'list' });
    if (!item) return UNDEFINED;
    const limits = [
      ...(item.minOccurs === '0' ? [] : [`minOccurs="${item.minOccurs}"`]),
      ...(item.maxOccurs === 'unbounded' ? [] : [`maxOccurs="${item.maxOccurs}"`]),
    ];
    for (const limit of limits) {
      const what = `${limit} of element ${item.field.name} in list ${labelOf(element)}`;
      this.#unsupported(scope, item.field.place, what, 'write minOccurs="0" maxOccurs="unbounded"', REQUESTS);
    }
    return { kind: 'list', name, item: item.field };
  }

  /** A field that is there at most once. */
  #once({ field, maxOccurs }: Occurrence): ModelField {
    if (maxOccurs === '1') return field;
    const advice = 'give it a list type of its own';
    const type = this.#foreign(field.place, `element ${field.name}`, 'a repetition beside other elements', advice);
    return { ...field, type };
  }

  #unsupported(scope: Scope, place: Place, name: string, advice: string, breaks = BOTH): void {
    this.#index.report('unsupported', place, `${name} is not supported: ${advice}`);
    scope.features.push({ name, ...breaks });
  }

  #foreign(place: Place, label: string, name: string, advice: string): ForeignType {
    this.#index.report('unsupported', place, `${label}: ${name} is not supported: ${advice}`);
    return { kind: 'foreign', name };
  }
}

interface Known {
  readonly type: Type;
  readonly features: readonly Feature[];
}

/** The type of a reference to nothing, which has been reported. */
const UNDEFINED: ForeignType = { kind: 'foreign', name: 'undefined' };

const BOTH = { requests: true, answers: true };
const REQUESTS = { requests: true, answers: false };
const NEITHER = { requests: false, answers: false };

const REMOVE = 'remove it';
const SEQUENCE = 'use a plain sequence of elements';

/** What an element may say of itself. Others, such as default and fixed, change what its content means. */
const FIELD_ATTRIBUTES = new Set(['name', 'ref', 'type', 'minOccurs', 'maxOccurs', 'nillable', 'form', 'id']);

function occurs(element: XmlElement, attribute: 'minOccurs' | 'maxOccurs'): string {
  return element.attributes.get(attribute) ?? '1';
}

/** A sequence of one element that repeats. */
function looksLikeList(complexType: XmlElement): boolean {
  const [sequence, second] = contentOf(complexType).children;
  const [item, other] = sequence?.local === 'sequence' ? contentOf(sequence).children : [];
  return !second && !other && item?.local === 'element' && occurs(item, 'maxOccurs') !== '1';
}
