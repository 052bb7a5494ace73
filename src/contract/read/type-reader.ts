import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { Extension, Message, ModelField, Type } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { contentOf, type Definitions, namespaceOfSchema, schemaOf } from './definitions';
import { adviceOn, checkElement, checkType, USE_SEQUENCE } from './element-checks';
import { Scope } from './extensions';
import { SimpleTypeReader } from './simple-type-reader';
import { isTrue, labelOf, type Occurs, type QName, readName, readOccurs, readReference } from './wsdl-names';
import { XmlElement } from './xml-tree';

/** A field, and the number of times that its sequence allows it. */
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
  readonly #definitions: Definitions;
  readonly #problems: ContractProblems;
  readonly #simple: SimpleTypeReader;
  /** A complex type is read once for messages and once for lists, whatever the number of elements that have it. */
  readonly #known = { message: new Map<XmlElement, KnownType>(), list: new Map<XmlElement, KnownType>() };
  /** An element is read once, whatever the number of operations that have it. */
  readonly #messages = new Map<XmlElement, Message>();
  /** The namespace of the first message, which all elements must have. */
  namespace: string | undefined;

  constructor(definitions: Definitions, problems: ContractProblems) {
    this.#definitions = definitions;
    this.#problems = problems;
    this.#simple = new SimpleTypeReader(definitions, problems);
  }

  /** @param element a global element */
  readMessage(element: XmlElement): Message {
    const message = this.#messages.get(element) ?? this.#readNewMessage(element);
    this.#messages.set(element, message);
    return message;
  }

  #readNewMessage(element: XmlElement): Message {
    const name = readName(element, this.#problems) ?? '';
    const namespace = namespaceOfSchema(schemaOf(element));
    this.namespace ??= namespace;
    const scope = new Scope(this.#problems, 'message', name, namespace);
    if (namespace !== this.namespace) {
      const advice = `the service has to use ${this.namespace} for all elements`;
      scope.add(element, `element ${name} in namespace ${namespace}`, advice);
    }
    if (isTrue(element.attributes.get('abstract'))) {
      scope.add(element, `abstract="true" of element ${name}`, 'name the element that the service uses');
    }
    const type = this.#typeOf(element);
    const isComplex = type instanceof XmlElement && type.local === 'complexType';
    const fields = isComplex ? this.#readFields(type, scope) : [];
    if (type && !isComplex) scope.add(element, `element ${name} without elements in it`, USE_SEQUENCE);
    return { element: name, namespace, fields, extensions: scope.extensions, place: element };
  }

  /** Finds the type of an element: a definition, or the name of a type of XML Schema. Undefined for a missing type. */
  #typeOf(element: XmlElement): XmlElement | QName | undefined {
    const hasType = element.attributes.has('type');
    const inline = contentOf(element).children.find(({ local }) => local === 'simpleType' || local === 'complexType');
    if (inline && hasType) {
      this.#problems.add('broken', element, `${labelOf(element)} has a type and an inline type: remove one of them`);
    }
    const name = hasType && !inline ? readReference(element, 'type', this.#problems) : ANY_TYPE;
    return inline ?? (name?.uri === XSD_NAMESPACE ? name : name && this.#definitions.findType(name, element));
  }

  /** Reads the fields of a message or a record, each of which occurs once at most. */
  #readFields(type: XmlElement, scope: Scope): ModelField[] {
    return this.#readContent(type, scope).map(({ field, occurs }) => {
      if (occurs.max === 1) return field;
      const advice = 'the service has to put it into a list of its own';
      const refused = scope.child(field.name).refuseType(field.place, 'a repetition beside other elements', advice);
      return { ...field, type: occurs.min > 1 ? refused : { ...refused, repeated: field.type } };
    });
  }

  #readContent(type: XmlElement, scope: Scope): Occurrence[] {
    const label = labelOf(type);
    checkType(type, scope);
    return contentOf(type).children.flatMap((child) => {
      if (child.local === 'sequence' || child.local === 'all') return this.#readParticle(child, scope);
      if (child.local === 'choice') return this.#readChoice(child, scope);
      if (child.local === 'attribute' || child.local === 'anyAttribute') {
        const isRequired = child.attributes.get('use') === 'required';
        const advice = isRequired ? 'the service has to use an element' : 'remove it from this file';
        const name = child.attributes.get('name') ?? child.attributes.get('ref') ?? '';
        const what = `xsd:${child.local} ${name}`.trim();
        scope.add(child, `${what} of ${label}`, advice, isRequired ? ['requests'] : []);
      } else {
        scope.add(child, `xsd:${child.local} in ${label}`, adviceOn(child));
      }
      return [];
    });
  }

  #readParticle(element: XmlElement, scope: Scope): Occurrence[] {
    if (element.local === 'all') scope.add(element, 'xsd:all', 'write xsd:sequence in this file', []);
    const { min, max } = readOccurs(element, this.#problems);
    if (min !== 1 || max !== 1) {
      scope.add(element, `minOccurs or maxOccurs of an xsd:${element.local}`, 'write them on its elements');
    }
    const byName = new Map<string, Occurrence>();
    for (const child of contentOf(element).children) {
      for (const occurrence of this.#readPart(child, scope)) {
        const { name } = occurrence.field;
        const advice = 'the service has to rename one of them';
        if (byName.has(name)) scope.add(child, `element ${name} twice in one sequence`, advice);
        byName.set(name, occurrence);
      }
    }
    return [...byName.values()];
  }

  #readPart(element: XmlElement, scope: Scope): readonly Occurrence[] {
    if (element.local === 'element') {
      const occurrence = this.#readField(element, scope);
      return occurrence ? [occurrence] : [];
    }
    if (element.local === 'choice') return this.#readChoice(element, scope);
    // A request may leave out what xsd:any allows, and the client skips it in a response.
    scope.add(element, `xsd:${element.local}`, adviceOn(element), element.local === 'any' ? [] : undefined);
    return [];
  }

  /** Reads the elements of which a message has one. */
  #readChoice(element: XmlElement, scope: Scope): Occurrence[] {
    scope.refuse(element, 'xsd:choice', USE_SEQUENCE);
    const alternatives = this.#readParticle(element, scope);
    const choice = alternatives.map(({ field }) => field.name);
    return alternatives.map(({ field, occurs }) => ({ field: { ...field, optional: true, choice }, occurs }));
  }

  #readField(element: XmlElement, scope: Scope): Occurrence | undefined {
    const definition = element.attributes.has('ref') ? this.#referredTo(element, scope) : element;
    const name = definition && readName(definition, this.#problems);
    if (!definition || name === undefined) return undefined;
    const occurs = readOccurs(element, this.#problems);
    if (occurs.max === 0) {
      this.#problems.add('refused', element, `element ${name} with maxOccurs="0" never occurs: remove it`);
      return undefined;
    }
    const own = scope.child(name);
    checkElement(element, definition, name, own);
    const type = this.#readType(definition, own);
    const field = {
      name,
      type,
      optional: occurs.min === 0,
      nillable: isTrue(definition.attributes.get('nillable')),
      extensions: own.extensions,
      documentation: contentOf(element).documentation || contentOf(definition).documentation,
      place: element,
    };
    return { field, occurs };
  }

  #referredTo(element: XmlElement, scope: Scope): XmlElement | undefined {
    const name = readReference(element, 'ref', this.#problems);
    if (name?.uri !== XSD_NAMESPACE) return name && this.#definitions.findByName('element', name, element);
    // A .NET DataSet sends its schema beside its content.
    scope.add(element, `element xsd:${name.local}`, 'the service has to list its own elements');
    return undefined;
  }

  #readType(element: XmlElement, scope: Scope): Type {
    const type = this.#typeOf(element);
    if (!type) return UNKNOWN;
    return type instanceof XmlElement
      ? this.#readDefinedType(type, scope)
      : this.#simple.readBuiltIn(type, element, scope);
  }

  #readDefinedType(element: XmlElement, scope: Scope): Type {
    if (element.local === 'simpleType') return this.#simple.read(element, scope);
    if (scope.container === 'record') {
      return scope.refuseType(element, labelOf(element), 'the service has to use plain values in a record');
    }
    const known = this.#known[scope.container];
    let read = known.get(element);
    if (!read) {
      const own = scope.own();
      read = { type: this.#readComplexType(element, own), extensions: own.extensions };
      known.set(element, read);
    }
    scope.extensions.push(...read.extensions);
    return read.type;
  }

  #readComplexType(element: XmlElement, scope: Scope): Type {
    const name = element.attributes.get('name');
    if (!this.#looksLikeList(element)) {
      const own = scope.own('record');
      const fields = this.#readFields(element, own);
      return { kind: 'record', name, fields, extensions: own.extensions, place: element };
    }
    if (scope.container === 'list') {
      return scope.refuseType(element, 'a list of lists', 'the service has to use a list of plain values or records');
    }
    const inside = scope.own('list');
    const [item] = this.#readContent(element, inside);
    scope.extensions.push(...inside.extensions);
    if (!item) return UNKNOWN;
    scope.extensions.push(...item.field.extensions);
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

  /** True for a sequence of one element that repeats. */
  #looksLikeList(complexType: XmlElement): boolean {
    const [sequence, second] = contentOf(complexType).children;
    const [item, other] = sequence?.local === 'sequence' ? contentOf(sequence).children : [];
    return !second && !other && item?.local === 'element' && readOccurs(item, this.#problems).max > 1;
  }
}

/** The type of a reference to nothing, which has been reported. */
const UNKNOWN: Type = { kind: 'unsupported', name: 'an unknown type' };
const ANY_TYPE = { uri: XSD_NAMESPACE, local: 'anyType' };

const DROP_LIMIT =
  'write minOccurs="0" maxOccurs="unbounded" in this file; in a request, callers have to keep the limit';
