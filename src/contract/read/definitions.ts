import type { ContractProblems } from '../model/problems';
import { SchemaIndex } from './schemas';
import { childrenOf, keyOf, type QName, readName, readReference, WSDL_NAMESPACE, XSD_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

const KINDS = ['message', 'portType', 'binding', 'service'] as const;
type Kind = (typeof KINDS)[number];

/** The named constructs of a WSDL, from all its documents. */
export class Definitions {
  readonly schemas: SchemaIndex;
  readonly #byKind = new Map<Kind, Map<string, XmlElement>>(KINDS.map((kind) => [kind, new Map()]));
  readonly #problems: ContractProblems;

  constructor(documents: readonly XmlElement[], followed: ReadonlySet<XmlElement>, problems: ContractProblems) {
    this.#problems = problems;
    const schemas = documents.filter(({ uri, local }) => uri === XSD_NAMESPACE && local === 'schema');
    for (const root of documents) {
      if (root.uri !== WSDL_NAMESPACE) continue;
      for (const types of childrenOf(root, WSDL_NAMESPACE, 'types')) {
        schemas.push(...childrenOf(types, XSD_NAMESPACE, 'schema'));
      }
      for (const element of childrenOf(root, WSDL_NAMESPACE, 'import')) {
        const what = `wsdl:import of ${element.attributes.get('location') ?? 'nothing'}`;
        if (!followed.has(element))
          problems.add('import', element, `${what} is not followed: put its content into this file`);
      }
      for (const kind of KINDS) {
        for (const element of childrenOf(root, WSDL_NAMESPACE, kind)) this.#add(kind, root, element);
      }
    }
    this.schemas = new SchemaIndex(schemas, followed, problems);
  }

  all(kind: Kind): XmlElement[] {
    return [...(this.#byKind.get(kind) as Map<string, XmlElement>).values()];
  }

  /** The construct of a name; without one, the file is broken. */
  find(kind: Kind, name: QName, from: XmlElement): XmlElement | undefined {
    const found = this.#byKind.get(kind)?.get(keyOf(name));
    if (!found) this.#problems.add('broken', from, `${kind} ${name.local} is not defined`);
    return found;
  }

  /** The construct that an attribute refers to. */
  referred(kind: Kind, from: XmlElement, attribute: string): XmlElement | undefined {
    const name = readReference(from, attribute, this.#problems);
    return name && this.find(kind, name, from);
  }

  #add(kind: Kind, root: XmlElement, element: XmlElement): void {
    const name = readName(element, this.#problems);
    if (name === undefined) return;
    const constructs = this.#byKind.get(kind) as Map<string, XmlElement>;
    const key = keyOf({ uri: root.attributes.get('targetNamespace') ?? '', local: name });
    if (constructs.has(key)) this.#problems.add('broken', element, `${kind} ${name} is defined twice`);
    else constructs.set(key, element);
  }
}
