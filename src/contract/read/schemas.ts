import type { Place } from '../model/model';
import type { ContractProblems, ProblemKind } from '../model/problems';
import { childrenOf, keyOf, type QName, readAttribute, readName, readReference, XSD_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** A named construct of a schema, with what it inherits from the schema that it stands in. */
export interface Component {
  readonly element: XmlElement;
  readonly schema: XsdSchema;
}

export interface XsdSchema {
  readonly element: XmlElement;
  readonly namespace: string;
  /** Whether local elements are in the schema's namespace, unless they say otherwise. */
  readonly qualified: boolean;
}

type ComponentKind = 'element' | 'complexType' | 'simpleType';

/** All schemas of a WSDL as one: where a name is defined does not matter. */
export class SchemaIndex {
  readonly #components = new Map<string, Component>();
  readonly #problems: ContractProblems;

  /** @param followed imports whose documents are among the schemas */
  constructor(schemas: readonly XmlElement[], followed: ReadonlySet<XmlElement>, problems: ContractProblems) {
    this.#problems = problems;
    const inline = new Set(schemas.map((schema) => schema.attributes.get('targetNamespace') ?? ''));
    for (const element of schemas) {
      const schema = {
        element,
        namespace: element.attributes.get('targetNamespace') ?? '',
        qualified: element.attributes.get('elementFormDefault') === 'qualified',
      };
      for (const child of element.children) {
        if (child.uri !== XSD_NAMESPACE) continue;
        if (child.local === 'element' || child.local === 'complexType' || child.local === 'simpleType') {
          this.#add(child.local, { element: child, schema });
        } else if (['import', 'include', 'redefine'].includes(child.local) && !followed.has(child)) {
          this.#checkImport(child, inline);
        }
      }
    }
  }

  /** The construct that a reference names; without one, the file is broken. */
  find(kind: ComponentKind, name: QName, from: XmlElement): Component | undefined {
    const found = this.#components.get(`${kind} ${keyOf(name)}`);
    if (!found) this.#problems.add('broken', from, `${kind} ${name.local} is not defined in namespace ${name.uri}`);
    return found;
  }

  /** A type by its name, complex or simple. */
  findType(name: QName, from: XmlElement): Component | undefined {
    return (
      this.#components.get(`complexType ${keyOf(name)}`) ??
      this.#components.get(`simpleType ${keyOf(name)}`) ??
      this.find('complexType', name, from)
    );
  }

  /** The name that an attribute refers to. */
  reference(element: XmlElement, attribute: string): QName | undefined {
    return readReference(element, attribute, this.#problems);
  }

  nameOf(element: XmlElement): string | undefined {
    return readName(element, this.#problems);
  }

  attribute(element: XmlElement, name: string): string | undefined {
    return readAttribute(element, name, this.#problems);
  }

  report(kind: ProblemKind, place: Place, text: string): void {
    this.#problems.add(kind, place, text);
  }

  #add(kind: ComponentKind, component: Component): void {
    const name = this.nameOf(component.element);
    if (name === undefined) return;
    const key = `${kind} ${keyOf({ uri: component.schema.namespace, local: name })}`;
    if (this.#components.has(key)) this.#problems.add('broken', component.element, `${kind} ${name} is defined twice`);
    else this.#components.set(key, component);
  }

  #checkImport(element: XmlElement, inline: ReadonlySet<string>): void {
    const location = element.attributes.get('schemaLocation');
    const namespace = element.attributes.get('namespace') ?? '';
    // Only a note that schemas of one WSDL use each other.
    if (location === undefined && inline.has(namespace)) return;
    const what = `xsd:${element.local} of ${location ?? `namespace ${namespace}`}`;
    this.#problems.add('import', element, `${what} is not followed: put its content into this file`);
  }
}

/** The children of a schema construct without annotations, and the text of its documentation. */
export function contentOf(element: XmlElement): { readonly children: XmlElement[]; readonly documentation: string } {
  const texts = childrenOf(element, XSD_NAMESPACE, 'annotation').flatMap((annotation) =>
    childrenOf(annotation, XSD_NAMESPACE, 'documentation').map(({ text }) => text),
  );
  const children = element.children.filter(({ uri, local }) => uri === XSD_NAMESPACE && local !== 'annotation');
  return { children, documentation: texts.filter(Boolean).join(' ') };
}
