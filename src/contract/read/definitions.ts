import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { ContractProblems, ProblemKind } from '../model/problems';
import { Constructs } from './constructs';
import { SchemaIndex } from './schemas';
import { childrenOf, readReference, WSDL_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

const KINDS = ['message', 'portType', 'binding', 'service'] as const;
type Kind = (typeof KINDS)[number];

/** The named constructs of a WSDL, from all its documents. */
export class Definitions {
  readonly schemas: SchemaIndex;
  readonly #byKind: { readonly [K in Kind]: Constructs<XmlElement> };
  readonly #problems: ContractProblems;

  constructor(documents: readonly XmlElement[], followed: ReadonlySet<XmlElement>, problems: ContractProblems) {
    this.#problems = problems;
    const of = (kind: Kind) => new Constructs<XmlElement>(kind, problems);
    this.#byKind = {
      message: of('message'),
      portType: of('portType'),
      binding: of('binding'),
      service: of('service'),
    };
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
      const namespace = root.attributes.get('targetNamespace') ?? '';
      for (const kind of KINDS) {
        for (const element of childrenOf(root, WSDL_NAMESPACE, kind)) {
          this.#byKind[kind].add(namespace, element, element);
        }
      }
    }
    this.schemas = new SchemaIndex(schemas, followed, problems);
  }

  all(kind: Kind): XmlElement[] {
    return this.#byKind[kind].all();
  }

  /** Finds the construct that an attribute refers to, and reports a missing one. */
  find(kind: Kind, from: XmlElement, attribute: string, problem?: ProblemKind): XmlElement | undefined {
    const name = readReference(from, attribute, this.#problems, problem);
    return name && this.#byKind[kind].find(name, from, problem);
  }
}
