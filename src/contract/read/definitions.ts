import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { ProblemKind } from '../model/problems';
import { childrenOf, labelOf, type QName, readName, readReference, WSDL_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** The constructs that other constructs refer to by their names. A kind is the name of its element. */
const KINDS = ['message', 'portType', 'binding', 'service', 'element', 'complexType', 'simpleType'] as const;

type Kind = (typeof KINDS)[number];

/** The named constructs of a WSDL and its schemas. A wrong definition that nothing refers to is not an error. */
export class Definitions {
  /** As a rule one construct for each kind and name. */
  readonly #byName = new Map<string, XmlElement[]>();

  /** @param followed the imports whose documents are among the documents */
  constructor(documents: readonly XmlElement[], followed: ReadonlySet<XmlElement>) {
    const roots = documents.filter(({ uri }) => uri === WSDL_NAMESPACE);
    for (const parent of [...roots, ...documents.flatMap(schemasOf)]) {
      for (const kind of KINDS) for (const child of childrenOf(parent, parent.uri, kind)) this.#add(parent, child);
    }
    for (const { element, location } of documents.flatMap(importsOf)) {
      // The types of XML Schema need no document.
      if (followed.has(element) || element.attributes.get('namespace') === XSD_NAMESPACE) continue;
      const what = `${element.uri === WSDL_NAMESPACE ? 'wsdl' : 'xsd'}:${element.local} of ${location}`;
      element.report('import', `${what} is not followed: put its content into this file`);
    }
  }

  all(kind: Kind): XmlElement[] {
    return [...this.#byName.values()].flatMap(([first]) => (first?.local === kind ? first : []));
  }

  /** Finds the construct that an attribute refers to, and reports a missing one. */
  find(kind: Kind, from: XmlElement, attribute: string, problem?: ProblemKind): XmlElement | undefined {
    const name = readReference(from, attribute, problem);
    return name && this.findByName(kind, name, from, problem);
  }

  /** Finds a construct, and reports a missing one at the place that refers to it. */
  findByName(kind: Kind, name: QName, from: XmlElement, problem: ProblemKind = 'broken'): XmlElement | undefined {
    const found = this.#get(kind, name);
    if (!found) {
      const where = name.uri === '' ? 'outside every namespace' : `in namespace ${name.uri}`;
      from.report(problem, `${kind} ${name.local} is not defined ${where}: define it or correct the name`);
    }
    return found;
  }

  /** Finds a type by its name, complex or simple. */
  findType(name: QName, from: XmlElement): XmlElement | undefined {
    return (
      this.#get('complexType', name) ?? this.#get('simpleType', name) ?? this.findByName('complexType', name, from)
    );
  }

  #get(kind: Kind, name: QName): XmlElement | undefined {
    const key = keyOf(kind, name);
    const [first, ...others] = this.#byName.get(key) ?? [];
    if (!first || others.length === 0) return first;
    for (const other of others) reportRepetition('broken', other);
    // Reported once: a file may refer to a repeated name any number of times.
    this.#byName.set(key, [first]);
    return first;
  }

  #add(parent: XmlElement, element: XmlElement): void {
    const local = readName(element, 'refused');
    if (local === undefined) return;
    const key = keyOf(element.local, { uri: namespaceOfSchema(parent), local });
    const known = this.#byName.get(key);
    if (known) reportRepetition('refused', element);
    if (known) known.push(element);
    else this.#byName.set(key, [element]);
  }
}

function reportRepetition(problem: ProblemKind, element: XmlElement): void {
  element.report(problem, `${labelOf(element)} is defined twice: remove one of them`);
}

function keyOf(kind: string, { uri, local }: QName): string {
  return `${kind} {${uri}}${local}`;
}

/** Returns the references of a document to others. Schemas of one WSDL import each other without a location. */
export function importsOf(root: XmlElement): { readonly element: XmlElement; readonly location: string }[] {
  const schemas = schemasOf(root).flatMap((schema) =>
    ['import', 'include', 'redefine'].flatMap((local) => childrenOf(schema, XSD_NAMESPACE, local)),
  );
  return [...childrenOf(root, WSDL_NAMESPACE, 'import'), ...schemas].flatMap((element) => {
    const location = element.attributes.get('schemaLocation') ?? element.attributes.get('location');
    return location ? { element, location } : [];
  });
}

/** Returns the schemas of a document, which is a WSDL or a schema itself. */
function schemasOf(root: XmlElement): XmlElement[] {
  if (root.uri === XSD_NAMESPACE && root.local === 'schema') return [root];
  const types = childrenOf(root, WSDL_NAMESPACE, 'types');
  return types.flatMap((element) => childrenOf(element, XSD_NAMESPACE, 'schema'));
}

/** Returns the schema that a construct of a schema is in. */
export function schemaOf(construct: XmlElement): XmlElement {
  let element = construct;
  while (element.parent && element.local !== 'schema') element = element.parent;
  return element;
}

/** Returns the namespace of the constructs that a schema or a WSDL defines. */
export function namespaceOfSchema({ attributes }: XmlElement): string {
  return attributes.get('targetNamespace') ?? '';
}

/** The content of a schema construct. */
interface Content {
  /** The children of XML Schema's namespace, without annotations. */
  readonly children: readonly XmlElement[];
  /** Children of any other namespace, which XML Schema does not allow here. */
  readonly others: readonly XmlElement[];
  readonly documentation: string;
  /** True when an xsd:appinfo is `optional`. */
  readonly isOmittable: boolean;
}

/** A construct may be used any number of times, so its content is found once. */
const contents = new WeakMap<XmlElement, Content>();

export function contentOf(element: XmlElement): Content {
  const known = contents.get(element);
  if (known) return known;
  const annotations = childrenOf(element, XSD_NAMESPACE, 'annotation');
  const textsOf = (local: string) =>
    annotations.flatMap((annotation) => childrenOf(annotation, XSD_NAMESPACE, local).map(({ text }) => text));
  const content = {
    children: element.children.filter(({ uri, local }) => uri === XSD_NAMESPACE && local !== 'annotation'),
    others: element.children.filter(({ uri }) => uri !== XSD_NAMESPACE),
    documentation: textsOf('documentation').filter(Boolean).join(' '),
    isOmittable: textsOf('appinfo').includes('optional'),
  };
  contents.set(element, content);
  return content;
}
