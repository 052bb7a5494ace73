import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { ContractProblems } from '../model/problems';
import { Constructs } from './constructs';
import { childrenOf, type QName } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** A construct of a schema, and the schema that it is in. */
export interface Component {
  readonly element: XmlElement;
  readonly schema: XsdSchema;
}

export interface XsdSchema {
  readonly element: XmlElement;
  readonly namespace: string;
  /** True when local elements without a form are in the schema's namespace. */
  readonly qualified: boolean;
}

const SOAP_ENCODING_NAMESPACE = 'http://schemas.xmlsoap.org/soap/encoding/';

/** All schemas of a WSDL as one schema. It does not matter which of them defines a name. */
export class SchemaIndex {
  readonly elements: Constructs<Component>;
  readonly #complexTypes: Constructs<Component>;
  readonly #simpleTypes: Constructs<Component>;
  readonly #problems: ContractProblems;

  /** @param followed imports whose documents are among the schemas */
  constructor(schemas: readonly XmlElement[], followed: ReadonlySet<XmlElement>, problems: ContractProblems) {
    this.#problems = problems;
    this.elements = new Constructs('element', problems);
    this.#complexTypes = new Constructs('complexType', problems);
    this.#simpleTypes = new Constructs('simpleType', problems);
    const inline = new Set(schemas.map((schema) => schema.attributes.get('targetNamespace') ?? ''));
    for (const element of schemas) {
      const namespace = element.attributes.get('targetNamespace') ?? '';
      const qualified = element.attributes.get('elementFormDefault') === 'qualified';
      const schema = { element, namespace, qualified };
      for (const child of element.children) {
        if (child.uri !== XSD_NAMESPACE) continue;
        const component = { element: child, schema };
        if (child.local === 'element') this.elements.add(namespace, child, component);
        else if (child.local === 'complexType') this.#complexTypes.add(namespace, child, component);
        else if (child.local === 'simpleType') this.#simpleTypes.add(namespace, child, component);
        else if (['import', 'include', 'redefine'].includes(child.local) && !followed.has(child)) {
          this.#checkImport(child, inline);
        }
      }
    }
  }

  /** Finds a type by its name, complex or simple. */
  findType(name: QName, from: XmlElement): Component | undefined {
    return this.#complexTypes.get(name) ?? this.#simpleTypes.get(name) ?? this.#complexTypes.find(name, from);
  }

  findSimpleType(name: QName, from: XmlElement): Component | undefined {
    return this.#simpleTypes.find(name, from);
  }

  #checkImport(element: XmlElement, inline: ReadonlySet<string>): void {
    const location = element.attributes.get('schemaLocation');
    const namespace = element.attributes.get('namespace') ?? '';
    // Everybody knows XML Schema's own types. Without a location, an import only says that schemas of one WSDL use each other.
    if (namespace === XSD_NAMESPACE || (location === undefined && inline.has(namespace))) return;
    const advice =
      namespace === SOAP_ENCODING_NAMESPACE
        ? 'remove it, because the client sends no encoded messages'
        : 'put its content into this file';
    const what = `xsd:${element.local} of ${location ?? `namespace ${namespace}`}`;
    this.#problems.add('import', element, `${what} is not followed: ${advice}`);
  }
}

/** Gives the children of a schema construct without annotations, and the text of its documentation. */
export function contentOf(element: XmlElement): { readonly children: XmlElement[]; readonly documentation: string } {
  const texts = childrenOf(element, XSD_NAMESPACE, 'annotation').flatMap((annotation) =>
    childrenOf(annotation, XSD_NAMESPACE, 'documentation').map(({ text }) => text),
  );
  const children = element.children.filter(({ uri, local }) => uri === XSD_NAMESPACE && local !== 'annotation');
  return { children, documentation: texts.filter(Boolean).join(' ') };
}
