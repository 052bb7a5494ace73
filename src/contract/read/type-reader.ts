import { XSD_NAMESPACE } from '../../xml/namespaces';
import { BOTH_SIDES, type Extension, type Message, type ModelField, type Place, type Type } from '../model/model';
import { type Occurs, readOccurs } from './occurs';
import { type Component, contentOf, type SchemaIndex } from './schemas';
import { SimpleTypeReader } from './simple-type-reader';
import { isTrue, keyOf, labelOf } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** The place of a field, and the extensions that are found there. The fields of a record are plain values. */
interface Scope {
  readonly container: 'message' | 'list' | 'record';
  /** The names of the elements around the field, for messages. */
  readonly path: string;
  /** The namespace that elements must have. */
  readonly namespace: string;
  readonly extensions: Extension[];
}

/** A field as a sequence has it. */
interface Occurrence {
  readonly field: ModelField;
  readonly occurs: Occurs;
}

interface KnownType {
  readonly type: Type;
  readonly extensions: readonly Extension[];
}

/** Reads the elements of requests and responses, down to the fields of records. */
export class TypeReader {
  readonly #index: SchemaIndex;
  readonly #simple: SimpleTypeReader;
  /** A complex type is read once for messages and once for lists, whatever the number of elements that have it. */
  readonly #known = { message: new Map<XmlElement, KnownType>(), list: new Map<XmlElement, KnownType>() };
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
    const name = this.#index.nameOf(element) ?? '';
    const scope: Scope = { container: 'message', path: name, namespace: schema.namespace, extensions: [] };
    if (isTrue(element.attributes.get('abstract'))) {
      this.#unsupported(scope, element, `abstract="true" of element ${name}`, 'name the element that the service uses');
    }
    const inline = this.#inlineTypeOf(element);
    const type = inline ? { element: inline, schema } : this.#namedTypeOf(element);
    let fields: ModelField[] = [];
    if (type?.element.local === 'complexType') {
      fields = this.#readContent(type, scope).map(({ field, occurs }) => this.#once(field, occurs, scope));
    } else if (type !== undefined || !element.attributes.has('type')) {
      this.#unsupported(scope, element, `element ${name} without elements in it`, USE_SEQUENCE);
    }
    return { element: name, namespace: schema.namespace, fields, extensions: scope.extensions, place: element };
  }

  /** Finds the type that an element names. A built-in type is represented by the element itself. */
  #namedTypeOf(element: XmlElement): Component | undefined {
    const name = element.attributes.has('type') ? this.#index.reference(element, 'type') : undefined;
    if (!name) return undefined;
    const builtIn = { element, schema: { element, namespace: name.uri, qualified: true } };
    return name.uri === XSD_NAMESPACE ? builtIn : this.#index.findType(name, element);
  }

  #inlineTypeOf(element: XmlElement): XmlElement | undefined {
    const inline = contentOf(element).children.find(({ local }) => local === 'simpleType' || local === 'complexType');
    if (inline && element.attributes.has('type')) {
      this.#index.report('broken', element, `${labelOf(element)} has a type and an inline type: remove one of them`);
    }
    return inline;
  }

  #readContent({ element, schema }: Component, scope: Scope): Occurrence[] {
    const label = labelOf(element);
    const occurrences: Occurrence[] = [];
    for (const name of ['mixed', 'abstract']) {
      if (!isTrue(element.attributes.get(name))) continue;
      const advice =
        name === 'mixed' ? 'remove it if the service sends no text there' : 'name the type that the service uses';
      this.#unsupported(scope, element, `${name}="true" of ${label}`, advice);
    }
    for (const child of contentOf(element).children) {
      if (child.local === 'sequence' || child.local === 'all') {
        occurrences.push(...this.#readParticle({ element: child, schema }, scope));
      } else if (child.local === 'attribute' || child.local === 'anyAttribute') {
        const isRequired = child.attributes.get('use') === 'required';
        const advice = isRequired ? 'the service has to use an element' : 'remove it from this file';
        const name = `xsd:${child.local} ${this.#nameOfAttribute({ element: child, schema })} of ${label}`;
        this.#unsupported(scope, child, name.replace('  ', ' '), advice, isRequired ? ['requests'] : []);
      } else {
        this.#unsupported(scope, child, `xsd:${child.local} in ${label}`, adviceOn(child));
      }
    }
    return occurrences;
  }

  #nameOfAttribute({ element, schema }: Component): string {
    const name = element.attributes.has('ref') ? this.#index.reference(element, 'ref') : undefined;
    if (!name) return element.attributes.get('name') ?? '';
    return name.uri === schema.namespace ? name.local : keyOf(name);
  }

  #readParticle({ element, schema }: Component, scope: Scope): Occurrence[] {
    if (element.local === 'all') this.#unsupported(scope, element, 'xsd:all', 'write xsd:sequence in this file', []);
    const { min, max } = this.#occursOf(element);
    if (min !== 1 || max !== 1) {
      this.#unsupported(
        scope,
        element,
        `minOccurs or maxOccurs of an xsd:${element.local}`,
        'write them on its elements',
      );
    }
    const byName = new Map<string, Occurrence>();
    for (const child of contentOf(element).children) {
      if (child.local !== 'element') {
        // A request may leave out what xsd:any allows, and the client skips it in a response.
        this.#unsupported(scope, child, `xsd:${child.local}`, adviceOn(child), child.local === 'any' ? [] : BOTH_SIDES);
        continue;
      }
      const occurrence = this.#readField({ element: child, schema }, scope);
      if (!occurrence) continue;
      const { name } = occurrence.field;
      if (byName.has(name)) {
        const advice = 'the service has to rename one of them';
        this.#unsupported(scope, child, `element ${name} twice in one sequence`, advice);
      }
      byName.set(name, occurrence);
    }
    return [...byName.values()];
  }

  #readField(site: Component, scope: Scope): Occurrence | undefined {
    const { element } = site;
    const definition = element.attributes.has('ref') ? this.#referredTo(element, scope) : site;
    const name = definition && this.#index.nameOf(definition.element);
    if (!definition || name === undefined) return undefined;
    const occurs = this.#occursOf(element);
    if (occurs.max === 0) {
      this.#index.report('unwanted', element, `element ${name} with maxOccurs="0" never occurs: remove it`);
      return undefined;
    }
    const own = { ...scope, path: `${scope.path}/${name}` };
    this.#checkAttributes([element, definition.element], name, own);
    this.#checkNamespace(definition, element, own);
    const field = {
      name,
      type: this.#readType(definition, own),
      optional: occurs.min === 0,
      nillable: isTrue(definition.element.attributes.get('nillable')),
      documentation: contentOf(element).documentation || contentOf(definition.element).documentation,
      place: element,
    };
    return { field, occurs };
  }

  #referredTo(element: XmlElement, scope: Scope): Component | undefined {
    const name = this.#index.reference(element, 'ref');
    if (name?.uri !== XSD_NAMESPACE) return name && this.#index.elements.find(name, element);
    // A .NET DataSet sends its schema beside its content.
    this.#unsupported(scope, element, `element xsd:${name.local}`, 'the service has to list its own elements');
    return undefined;
  }

  #checkAttributes(elements: readonly XmlElement[], name: string, scope: Scope): void {
    const [site] = elements as [XmlElement];
    const names = new Set(elements.flatMap(({ attributes }) => [...attributes.keys()]));
    const others = [...names].filter((attribute) => !FIELD_ATTRIBUTES.has(attribute));
    if (elements.some(({ attributes }) => isTrue(attributes.get('abstract')))) others.push('abstract');
    if (others.length === 0) return;
    const advice = 'remove it if the service works without it';
    this.#unsupported(scope, site, `attribute ${others.join(', ')} of element ${name}`, advice);
  }

  #checkNamespace({ element, schema }: Component, site: XmlElement, scope: Scope): void {
    const form = element.attributes.get('form');
    const isLocal = element === site;
    const isQualified = !isLocal || (form === undefined ? schema.qualified : form === 'qualified');
    const place = isLocal && form !== undefined ? element : schema.element;
    if (!isQualified) {
      const advice =
        'the service has to qualify its elements (elementFormDefault="qualified" on the schema, and no form)';
      this.#unsupported(scope, place, 'an element without a namespace', advice);
    } else if (schema.namespace !== scope.namespace) {
      const advice = `the service has to use ${scope.namespace} for all elements`;
      this.#unsupported(scope, schema.element, `an element in namespace ${schema.namespace}`, advice);
    }
  }

  #readType({ element, schema }: Component, scope: Scope): Type {
    const inline = this.#inlineTypeOf(element);
    if (inline) return this.#readDefinedType({ element: inline, schema }, scope);
    const label = `element ${scope.path}`;
    const name = element.attributes.has('type') ? this.#index.reference(element, 'type') : ANY_TYPE;
    if (name?.uri === XSD_NAMESPACE) return this.#simple.readBuiltIn(name, element, label);
    const type = name && this.#index.findType(name, element);
    return type ? this.#readDefinedType(type, scope) : UNDEFINED;
  }

  #readDefinedType(component: Component, scope: Scope): Type {
    const { element } = component;
    if (element.local === 'simpleType') return this.#simple.read(component, `element ${scope.path}`);
    if (scope.container === 'record') {
      return this.#unsupportedType(element, scope, labelOf(element), 'the service has to use plain values in a record');
    }
    const known = this.#known[scope.container];
    let read = known.get(element);
    if (!read) {
      const own: Scope = { ...scope, extensions: [] };
      read = { type: this.#readComplexType(component, own), extensions: own.extensions };
      known.set(element, read);
    }
    scope.extensions.push(...read.extensions);
    return read.type;
  }

  #readComplexType(component: Component, scope: Scope): Type {
    const { element } = component;
    const name = element.attributes.get('name');
    if (!looksLikeList(element)) {
      const own: Scope = { ...scope, container: 'record', extensions: [] };
      const fields = this.#readContent(component, own).map(({ field, occurs }) => this.#once(field, occurs, own));
      return { kind: 'record', name, fields, extensions: own.extensions, place: element };
    }
    if (scope.container === 'list') {
      const advice = 'the service has to use a list of plain values or records';
      return this.#unsupportedType(element, scope, 'a list of lists', advice);
    }
    const [item] = this.#readContent(component, { ...scope, container: 'list' });
    if (!item) return UNDEFINED;
    const { min, max } = item.occurs;
    const limits = [
      ...(min === 0 ? [] : [`minOccurs="${min}"`]),
      ...(max === Number.POSITIVE_INFINITY ? [] : [`maxOccurs="${max}"`]),
    ];
    for (const limit of limits) {
      const what = `${limit} of element ${item.field.name} in list ${labelOf(element)}`;
      const advice =
        'write minOccurs="0" maxOccurs="unbounded" in this file; in a request, callers have to keep the limit';
      this.#unsupported(scope, item.field.place, what, advice, ['requests']);
    }
    return { kind: 'list', name, item: item.field };
  }

  /** Gives a field that occurs once at most. */
  #once(field: ModelField, { max }: Occurs, scope: Scope): ModelField {
    if (max === 1) return field;
    const own = { ...scope, path: `${scope.path}/${field.name}` };
    const advice = 'the service has to put it into a list of its own';
    return { ...field, type: this.#unsupportedType(field.place, own, 'a repetition beside other elements', advice) };
  }

  #occursOf(element: XmlElement): Occurs {
    const occurs = readOccurs(element);
    if (occurs) return occurs;
    const { minOccurs = '1', maxOccurs = '1' } = Object.fromEntries(element.attributes);
    const what = `minOccurs="${minOccurs}" and maxOccurs="${maxOccurs}" of ${labelOf(element)}`;
    this.#index.report('broken', element, `${what} are not a range of numbers: correct them`);
    return { min: 1, max: 1 };
  }

  #unsupported(
    scope: Scope,
    place: Place,
    name: string,
    advice: string,
    breaks: Extension['breaks'] = BOTH_SIDES,
  ): void {
    const kind = breaks.length > 0 ? 'unsupported' : 'unwanted';
    this.#index.report(kind, place, `element ${scope.path}: ${name} is not supported: ${advice}`, name);
    scope.extensions.push({ name, breaks });
  }

  #unsupportedType(place: Place, scope: Scope, name: string, advice: string): Type {
    this.#index.report('unsupported', place, `element ${scope.path}: ${name} is not supported: ${advice}`, name);
    return { kind: 'unsupported', name };
  }
}

/** The type of a reference to nothing, which has been reported. */
const UNDEFINED: Type = { kind: 'unsupported', name: 'an unknown type' };
const ANY_TYPE = { uri: XSD_NAMESPACE, local: 'anyType' };

const USE_SEQUENCE = 'the service has to use a plain sequence of elements';

function adviceOn({ local }: XmlElement): string {
  switch (local) {
    case 'any':
      return 'remove it from this file';
    case 'group':
      return 'write the elements of the group in its place';
    case 'complexContent':
      return 'write the elements of both types in one sequence';
    default:
      return USE_SEQUENCE;
  }
}

/** The attributes that an element may have. Others, such as default and fixed, change what its content means. */
const FIELD_ATTRIBUTES: ReadonlySet<string> = new Set(
  'name ref type minOccurs maxOccurs nillable form id abstract'.split(' '),
);

/** True for a sequence of one element that repeats. */
function looksLikeList(complexType: XmlElement): boolean {
  const [sequence, second] = contentOf(complexType).children;
  const [item, other] = sequence?.local === 'sequence' ? contentOf(sequence).children : [];
  return !second && !other && item?.local === 'element' && (readOccurs(item)?.max ?? 1) > 1;
}
