import { XSD_NAMESPACE } from '../../xml/namespaces';
import { BOTH_SIDES, type Message, type ModelField, type Type } from '../model/model';
import { contentOf, type Definitions, namespaceOfSchema, schemaOf } from './definitions';
import { Scope } from './scope';
import { readBuiltIn, readSimpleType } from './simple-types';
import { isTrue, labelOf, type QName, readName, readOccurs, readReference } from './wsdl-names';
import { XmlElement } from './xml-tree';

type ReadField = ModelField & { readonly place: XmlElement };

/** Reads the elements of requests and responses, down to the fields of records. */
export class TypeReader {
  /** A type is read once for each kind of container, whatever the number of elements that have it. */
  readonly #known = { message: new Map<XmlElement, Type>(), list: new Map<XmlElement, Type>(), record: new Map() };
  /** An element is read once, whatever the number of operations that have it. */
  readonly #messages = new Map<XmlElement, Message>();
  /** The namespace of the first message, which all elements must have. */
  namespace: string | undefined;

  constructor(readonly definitions: Definitions) {}

  /** @param element a global element */
  readMessage(element: XmlElement): Message {
    const message = this.#messages.get(element) ?? this.#readNewMessage(element);
    this.#messages.set(element, message);
    return message;
  }

  #readNewMessage(element: XmlElement): Message {
    const name = readName(element) ?? '';
    this.namespace ??= namespaceOfSchema(schemaOf(element));
    const scope = new Scope(name);
    this.#checkElement(element, element, scope);
    const type = this.#typeOf(element);
    const isComplex = type instanceof XmlElement && type.local === 'complexType';
    const fields = isComplex ? this.#readFields(type, scope) : [];
    if (type && !isComplex) scope.add(element, `element ${name} without elements in it`, USE_SEQUENCE);
    return { element: name, fields, extensions: scope.extensions, place: element };
  }

  /** Finds the type of an element: a definition, or the name of a type of XML Schema. Undefined for a missing type. */
  #typeOf(element: XmlElement): XmlElement | QName | undefined {
    const hasType = element.attributes.has('type');
    const inline = contentOf(element).children.find(({ local }) => local === 'simpleType' || local === 'complexType');
    if (inline && hasType) {
      element.report('broken', `${labelOf(element)} has a type and an inline type: remove one of them`);
    }
    const name = hasType && !inline ? readReference(element, 'type') : ANY_TYPE;
    return inline ?? (name?.uri === XSD_NAMESPACE ? name : name && this.definitions.findType(name, element));
  }

  /** Reads the fields of a message or a record, or the item of a list. */
  #readFields(type: XmlElement, scope: Scope): ModelField[] {
    this.#checkAttributes([type], scope);
    const byName = new Map<string, ModelField>();
    for (const field of this.#readParts(type, scope)) {
      const advice = 'the service has to rename one of them';
      if (byName.has(field.name)) scope.add(field.place, `element ${field.name} twice in one type`, advice);
      byName.set(field.name, field);
    }
    return [...byName.values()];
  }

  /** Reads the elements in a complexType, or in a part of it. */
  #readParts(parent: XmlElement, scope: Scope): ReadField[] {
    refuseOthers(parent, scope);
    return contentOf(parent).children.flatMap((part) => {
      switch (part.local) {
        case 'element':
          return this.#readField(part, scope);
        case 'sequence':
        case 'all':
        case 'choice':
          return this.#readGroup(part, scope);
        default:
          refusePart(part, scope);
          return [];
      }
    });
  }

  #readGroup(group: XmlElement, scope: Scope): ReadField[] {
    const { min, max, text } = readOccurs(group);
    if (min !== 1 || max !== 1) scope.add(group, text, 'write them on its elements');
    if (group.local === 'all') scope.add(group, 'xsd:all', 'write xsd:sequence in this file', []);
    if (group.local === 'choice') scope.refuse(group, 'xsd:choice', USE_SEQUENCE);
    const fields = this.#readParts(group, scope);
    const choice = fields.map(({ name }) => name);
    return group.local === 'choice' ? fields.map((field) => ({ ...field, optional: true, choice })) : fields;
  }

  #readField(element: XmlElement, scope: Scope): ReadField[] {
    const definition = element.attributes.has('ref') ? this.#referredTo(element, scope) : element;
    const name = definition && readName(definition);
    if (!definition || name === undefined) return [];
    const { min, max, text } = readOccurs(element);
    if (max === 0) {
      element.report('refused', `element ${name} with maxOccurs="0" never occurs: remove it`);
      return [];
    }
    const own = scope.child(name);
    this.#checkElement(element, definition, own);
    const isItem = scope.container === 'list';
    // The client reads a list of any length.
    if (isItem && (min !== 0 || max !== Number.POSITIVE_INFINITY)) own.add(element, text, DROP_LIMIT, ['requests']);
    const type = this.#readType(element, definition, own);
    const field = {
      name,
      type: isItem || max === 1 ? type : repetitionOf(type, element, min, own),
      optional: min === 0,
      nillable: isTrue(definition.attributes.get('nillable')),
      omittable: contentOf(element).isOmittable || contentOf(definition).isOmittable,
      extensions: own.extensions,
      documentation: contentOf(element).documentation || contentOf(definition).documentation,
      place: element,
      definition,
    };
    return [field];
  }

  #referredTo(element: XmlElement, scope: Scope): XmlElement | undefined {
    const name = readReference(element, 'ref');
    if (name?.uri !== XSD_NAMESPACE) return name && this.definitions.findByName('element', name, element);
    // A .NET DataSet sends its schema beside its content.
    scope.add(element, `element xsd:${name.local}`, 'the service has to list its own elements');
    return undefined;
  }

  /** @param definition the element that `element` refers to; as a rule the element itself */
  #checkElement(element: XmlElement, definition: XmlElement, scope: Scope): void {
    this.#checkAttributes([element, definition], scope);
    checkContent(definition, scope);
    const schema = schemaOf(definition);
    const namespace = namespaceOfSchema(schema);
    const form = definition.parent === schema ? 'qualified' : definition.attributes.get('form');
    if ((form ?? schema.attributes.get('elementFormDefault')) !== 'qualified') {
      scope.add(form === undefined ? schema : definition, 'an element without a namespace', QUALIFY);
    } else if (namespace !== this.namespace) {
      const advice = `the service has to use ${this.namespace} for all elements`;
      scope.add(schema, `an element in namespace ${namespace}`, advice);
    }
  }

  /** Reports attributes that change what an element or a type means. */
  #checkAttributes(constructs: readonly XmlElement[], scope: Scope): void {
    const all = constructs.flatMap(({ attributes }) => [...attributes]);
    const found = all.filter(([name, value]) => (isFlag(name) ? isTrue(value) : !KNOWN_ATTRIBUTES.has(name)));
    const names = [...new Set(found.map(([name]) => name))];
    const place = constructs.at(-1) as XmlElement;
    const what = `attribute ${names.join(', ')} of ${labelOf(place)}`;
    // Requests have each element, whose default then does not matter.
    const mayBreak = names.every((name) => name === 'default') ? (['responses'] as const) : BOTH_SIDES;
    if (names.length > 0) scope.add(place, what, 'remove it if the service works without it', mayBreak);
  }

  /** @param definition the element that `element` refers to; as a rule the element itself */
  #readType(element: XmlElement, definition: XmlElement, scope: Scope): Type {
    const type = this.#typeOf(definition);
    if (!type) return UNKNOWN;
    if (!(type instanceof XmlElement)) return readBuiltIn(type.local, definition, scope);
    if (type.local === 'complexType' && scope.container === 'record') {
      const what = this.#looksLikeList(type) ? 'a list in a record' : 'a record in a record';
      return scope.refuseType(element, what, 'the service has to use plain values in a record');
    }
    if (type.local === 'complexType' && scope.container === 'list' && this.#looksLikeList(type)) {
      return scope.refuseType(element, 'a list of lists', 'the service has to use a list of plain values or records');
    }
    const known: Map<XmlElement, Type> = this.#known[scope.container];
    const read = known.get(type) ?? this.#readDefinition(type, scope);
    known.set(type, read);
    return read;
  }

  #readDefinition(element: XmlElement, scope: Scope): Type {
    if (element.local === 'simpleType') return readSimpleType(element, scope, this.definitions);
    const name = element.attributes.get('name');
    const isList = this.#looksLikeList(element);
    const inside = scope.inside(isList ? 'list' : 'record');
    const fields = this.#readFields(element, inside);
    const { extensions } = inside;
    if (!isList) return { kind: 'record', name, fields, extensions, place: element };
    const [item] = fields;
    return item ? { kind: 'list', name, item: { ...item, extensions: [...extensions, ...item.extensions] } } : UNKNOWN;
  }

  /** True for a sequence of one element that repeats. */
  #looksLikeList(complexType: XmlElement): boolean {
    const [sequence, second] = contentOf(complexType).children;
    const [item, other] = sequence?.local === 'sequence' ? contentOf(sequence).children : [];
    return !second && !other && item?.local === 'element' && readOccurs(item).max > 1;
  }
}

/** Reports what is inside an element beside its type. A parser of another stack may read it, and this one would not. */
function checkContent(element: XmlElement, scope: Scope): void {
  refuseOthers(element, scope);
  for (const child of contentOf(element).children) {
    if (child.local === 'element') {
      scope.add(child, `${labelOf(child)} inside ${labelOf(element)}`, 'put it beside the element');
    } else if (child.local !== 'simpleType' && child.local !== 'complexType') {
      scope.add(child, `xsd:${child.local} in ${labelOf(element)}`, 'remove it if the service works without it');
    }
  }
}

/** Reports children outside the namespace of XML Schema, such as an `element` without the prefix. */
function refuseOthers(parent: XmlElement, scope: Scope): void {
  for (const other of contentOf(parent).others) {
    const namespace = other.uri === '' ? 'no namespace' : `namespace ${other.uri}`;
    scope.add(other, `${labelOf(other)} in ${namespace}`, 'write it with the prefix of XML Schema, or remove it');
  }
}

/** Reports a part of a complexType that is neither an element nor a group of elements. */
function refusePart(part: XmlElement, scope: Scope): void {
  const { local, attributes } = part;
  if (local === 'attribute' || local === 'anyAttribute') {
    const isRequired = attributes.get('use') === 'required';
    const what = `xsd:${local} ${attributes.get('name') ?? attributes.get('ref') ?? ''}`.trim();
    const advice = isRequired ? 'the service has to use an element' : 'remove it from this file';
    // The client reads no attributes.
    scope.add(part, what, advice, isRequired ? ['requests'] : []);
  } else if (local === 'any') {
    // A request may leave out what xsd:any allows, and the client skips it in a response.
    scope.add(part, 'xsd:any', 'remove it from this file', []);
  } else {
    const isReference = local === 'group' || local === 'complexContent';
    scope.add(part, `xsd:${local}`, isReference ? 'write all elements in one sequence in this file' : USE_SEQUENCE);
  }
}

/** Returns the type of an element that may occur several times beside other elements. */
function repetitionOf(type: Type, element: XmlElement, min: number, scope: Scope): Type {
  const advice = 'the service has to put it into a list of its own';
  const refused = scope.refuseType(element, 'a repetition beside other elements', advice);
  return min > 1 ? refused : { ...refused, repeated: type };
}

function isFlag(attribute: string): boolean {
  return attribute === 'abstract' || attribute === 'mixed';
}

// `final` and `block` change no byte on the wire.
/** The attributes that an element or a type may have. Others, such as fixed, change what its content means. */
const KNOWN_ATTRIBUTES: ReadonlySet<string> = new Set(
  'name ref type minOccurs maxOccurs nillable form id final block'.split(' '),
);

/** The type of a reference to nothing, which has been reported. */
const UNKNOWN: Type = { kind: 'unsupported', name: 'an unknown type' };
const ANY_TYPE = { uri: XSD_NAMESPACE, local: 'anyType' };

const USE_SEQUENCE = 'the service has to use a plain sequence of elements';
const QUALIFY = 'the service has to qualify its elements (elementFormDefault="qualified" on the schema, and no form)';
const DROP_LIMIT =
  'write minOccurs="0" maxOccurs="unbounded" in this file; in a request, callers have to keep the limit';
