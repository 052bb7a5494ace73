import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { Extension, Message, ModelField, Type } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { adviceOn, checkElement, checkType, nameOfAttribute, USE_SEQUENCE } from './element-checks';
import { type Occurs, readOccurs } from './occurs';
import { type Component, contentOf, type SchemaIndex } from './schemas';
import { Scope } from './scope';
import { SimpleTypeReader } from './simple-type-reader';
import { isTrue, labelOf, readName, readReference } from './wsdl-names';
import type { XmlElement } from './xml-tree';

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
  readonly #problems: ContractProblems;
  readonly #simple: SimpleTypeReader;
  /** A complex type is read once for messages and once for lists, whatever the number of elements that have it. */
  readonly #known = { message: new Map<XmlElement, KnownType>(), list: new Map<XmlElement, KnownType>() };
  /** An element is read once, whatever the number of operations that have it. */
  readonly #messages = new Map<XmlElement, Message>();
  /** The namespace of the first message, which all elements must have. */
  namespace: string | undefined;

  constructor(index: SchemaIndex, problems: ContractProblems) {
    this.#index = index;
    this.#problems = problems;
    this.#simple = new SimpleTypeReader(index, problems);
  }

  /** @param component a global element */
  readMessage(component: Component): Message {
    const known = this.#messages.get(component.element);
    const message = known ?? this.#readNewMessage(component);
    this.#messages.set(component.element, message);
    return message;
  }

  #readNewMessage({ element, schema }: Component): Message {
    const name = readName(element, this.#problems) ?? '';
    this.namespace ??= schema.namespace;
    const scope = new Scope(this.#problems, 'message', name, schema.namespace);
    if (schema.namespace !== this.namespace) {
      const what = `element ${name} in namespace ${schema.namespace}`;
      scope.add(element, what, `the service has to use ${this.namespace} for all elements`);
    }
    if (isTrue(element.attributes.get('abstract'))) {
      scope.add(element, `abstract="true" of element ${name}`, 'name the element that the service uses');
    }
    const inline = this.#inlineTypeOf(element);
    const type = inline ? { element: inline, schema } : this.#namedTypeOf(element);
    let fields: ModelField[] = [];
    if (type?.element.local === 'complexType') fields = this.#readFields(type, scope);
    else if (type !== undefined || !element.attributes.has('type')) {
      scope.add(element, `element ${name} without elements in it`, USE_SEQUENCE);
    }
    return { element: name, namespace: schema.namespace, fields, extensions: scope.extensions, place: element };
  }

  /** Finds the type that an element names. A built-in type is represented by the element itself. */
  #namedTypeOf(element: XmlElement): Component | undefined {
    const name = element.attributes.has('type') ? readReference(element, 'type', this.#problems) : undefined;
    if (!name) return undefined;
    const builtIn = { element, schema: { element, namespace: name.uri, qualified: true } };
    return name.uri === XSD_NAMESPACE ? builtIn : this.#index.findType(name, element);
  }

  #inlineTypeOf(element: XmlElement): XmlElement | undefined {
    const inline = contentOf(element).children.find(({ local }) => local === 'simpleType' || local === 'complexType');
    if (inline && element.attributes.has('type')) {
      this.#problems.add('broken', element, `${labelOf(element)} has a type and an inline type: remove one of them`);
    }
    return inline;
  }

  /** Reads the fields of a message or a record, each of which occurs once at most. */
  #readFields(type: Component, scope: Scope): ModelField[] {
    return this.#readContent(type, scope).map(({ field, occurs }) => {
      if (occurs.max === 1) return field;
      const advice = 'the service has to put it into a list of its own';
      const refused = scope.child(field.name).refuseType(field.place, 'a repetition beside other elements', advice);
      return { ...field, type: refused };
    });
  }

  #readContent(type: Component, scope: Scope): Occurrence[] {
    const { element, schema } = type;
    const label = labelOf(element);
    checkType(element, scope);
    return contentOf(element).children.flatMap((child) => {
      if (child.local === 'sequence' || child.local === 'all') {
        return this.#readParticle({ element: child, schema }, scope);
      }
      if (child.local === 'attribute' || child.local === 'anyAttribute') {
        const isRequired = child.attributes.get('use') === 'required';
        const advice = isRequired ? 'the service has to use an element' : 'remove it from this file';
        const name = nameOfAttribute({ element: child, schema }, this.#problems);
        scope.add(child, `${name} of ${label}`, advice, isRequired ? ['requests'] : []);
      } else {
        scope.add(child, `xsd:${child.local} in ${label}`, adviceOn(child));
      }
      return [];
    });
  }

  #readParticle({ element, schema }: Component, scope: Scope): Occurrence[] {
    if (element.local === 'all') scope.add(element, 'xsd:all', 'write xsd:sequence in this file', []);
    const { min, max } = this.#occursOf(element);
    if (min !== 1 || max !== 1) {
      scope.add(element, `minOccurs or maxOccurs of an xsd:${element.local}`, 'write them on its elements');
    }
    const byName = new Map<string, Occurrence>();
    for (const child of contentOf(element).children) {
      if (child.local !== 'element') {
        // A request may leave out what xsd:any allows, and the client skips it in a response.
        scope.add(child, `xsd:${child.local}`, adviceOn(child), child.local === 'any' ? [] : undefined);
        continue;
      }
      const occurrence = this.#readField({ element: child, schema }, scope);
      if (!occurrence) continue;
      const { name } = occurrence.field;
      const advice = 'the service has to rename one of them';
      if (byName.has(name)) scope.add(child, `element ${name} twice in one sequence`, advice);
      byName.set(name, occurrence);
    }
    return [...byName.values()];
  }

  #readField(site: Component, scope: Scope): Occurrence | undefined {
    const { element } = site;
    const definition = element.attributes.has('ref') ? this.#referredTo(element, scope) : site;
    const name = definition && readName(definition.element, this.#problems);
    if (!definition || name === undefined) return undefined;
    const occurs = this.#occursOf(element);
    if (occurs.max === 0) {
      this.#problems.add('refused', element, `element ${name} with maxOccurs="0" never occurs: remove it`);
      return undefined;
    }
    const own = scope.child(name);
    checkElement(element, definition, name, own);
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
    const name = readReference(element, 'ref', this.#problems);
    if (name?.uri !== XSD_NAMESPACE) return name && this.#index.elements.find(name, element);
    // A .NET DataSet sends its schema beside its content.
    scope.add(element, `element xsd:${name.local}`, 'the service has to list its own elements');
    return undefined;
  }

  #readType({ element, schema }: Component, scope: Scope): Type {
    const inline = this.#inlineTypeOf(element);
    if (inline) return this.#readDefinedType({ element: inline, schema }, scope);
    const name = element.attributes.has('type') ? readReference(element, 'type', this.#problems) : ANY_TYPE;
    if (name?.uri === XSD_NAMESPACE) return this.#simple.readBuiltIn(name, element, scope);
    const type = name && this.#index.findType(name, element);
    return type ? this.#readDefinedType(type, scope) : UNKNOWN;
  }

  #readDefinedType(component: Component, scope: Scope): Type {
    const { element } = component;
    if (element.local === 'simpleType') return this.#simple.read(component, scope);
    if (scope.container === 'record') {
      return scope.refuseType(element, labelOf(element), 'the service has to use plain values in a record');
    }
    const known = this.#known[scope.container];
    let read = known.get(element);
    if (!read) {
      const own = scope.own(scope.container);
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
      const own = scope.own('record');
      return {
        kind: 'record',
        name,
        fields: this.#readFields(component, own),
        extensions: own.extensions,
        place: element,
      };
    }
    if (scope.container === 'list') {
      return scope.refuseType(element, 'a list of lists', 'the service has to use a list of plain values or records');
    }
    const inside = scope.own('list');
    const [item] = this.#readContent(component, inside);
    scope.extensions.push(...inside.extensions);
    if (!item) return UNKNOWN;
    const { min, max } = item.occurs;
    const limits = [
      ...(min === 0 ? [] : [`minOccurs="${min}"`]),
      ...(max === Number.POSITIVE_INFINITY ? [] : [`maxOccurs="${max}"`]),
    ];
    for (const limit of limits) {
      const what = `${limit} of element ${item.field.name} in list ${labelOf(element)}`;
      scope.add(item.field.place, what, DROP_LIMIT, ['requests']);
    }
    return { kind: 'list', name, item: item.field };
  }

  #occursOf(element: XmlElement): Occurs {
    const occurs = readOccurs(element);
    if (occurs) return occurs;
    const { minOccurs = '1', maxOccurs = '1' } = Object.fromEntries(element.attributes);
    const what = `minOccurs="${minOccurs}" and maxOccurs="${maxOccurs}" of ${labelOf(element)}`;
    this.#problems.add('broken', element, `${what} are not a range of numbers: correct them`);
    return { min: 1, max: 1 };
  }
}

/** The type of a reference to nothing, which has been reported. */
const UNKNOWN: Type = { kind: 'unsupported', name: 'an unknown type' };
const ANY_TYPE = { uri: XSD_NAMESPACE, local: 'anyType' };

const DROP_LIMIT =
  'write minOccurs="0" maxOccurs="unbounded" in this file; in a request, callers have to keep the limit';

/** True for a sequence of one element that repeats. */
function looksLikeList(complexType: XmlElement): boolean {
  const [sequence, second] = contentOf(complexType).children;
  const [item, other] = sequence?.local === 'sequence' ? contentOf(sequence).children : [];
  return !second && !other && item?.local === 'element' && (readOccurs(item)?.max ?? 1) > 1;
}
