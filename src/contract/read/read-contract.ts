import { collapse } from '../../xml/integers';
import type { Binding, BindingVersion, Contract } from '../model/model';
import { ContractError, type ContractProblem, ContractProblems } from '../model/problems';
import type { SoapBinding } from './bindings';
import { type Port, readBindings, readPorts } from './choose-bindings';
import { Definitions } from './definitions';
import { ExtensionCollector } from './extensions';
import { readOperations } from './read-operations';
import { TypeReader } from './type-reader';
import { childrenOf, labelOf, soapBindings, WSDL_NAMESPACE } from './wsdl-names';
import { parseXml, type XmlElement } from './xml-tree';

/** A contract that was read from a WSDL, and everything in the WSDL that the client does not follow. */
export interface ParsedContract {
  readonly contract: Contract;
  readonly problems: readonly ContractProblem[];
}

/**
 * Reads a WSDL of one file.
 *
 * @param file the name for messages
 * @throws {ContractError} when it is not XML or not a WSDL
 */
export function readWsdl(text: string, file: string): ParsedContract {
  return readContract([parseXml(text, file)], new Set());
}

/**
 * Reads a WSDL that was parsed.
 *
 * @param documents the WSDL, and what was fetched for its imports
 * @param followed the imports whose documents are among the documents
 * @param ours the contract to compare with: the bindings that share operations with it are read, and of their
 *   operations only these. Without it, the first bindings are read with all operations.
 * @throws {ContractError} when the first document is not a WSDL
 */
export function readContract(
  documents: readonly XmlElement[],
  followed: ReadonlySet<XmlElement>,
  ours?: Contract,
): ParsedContract {
  const problems = new ContractProblems();
  const [root] = documents as [XmlElement];
  if (root.uri !== WSDL_NAMESPACE || root.local !== 'definitions') {
    const text = `the root element is ${root.local}, not wsdl:definitions: give a WSDL 1.1 document`;
    throw new ContractError([{ kind: 'broken', file: root.file, line: root.line, text }]);
  }
  const definitions = new Definitions(documents, followed, problems);
  const ports = readPorts(definitions, problems);
  const bindings = readBindings(definitions, root, ports, ours, problems);
  const [first] = bindings;
  const portType = first && definitions.find('portType', first.element, 'type');
  if (!first || !portType) throw new ContractError(problems.sorted());
  checkOthers(definitions, bindings, portType, problems);
  const types = new TypeReader(definitions, problems);
  const operations = readOperations({ definitions, types, bindings, problems }, portType, ours);
  const ownNamespace = root.attributes.get('targetNamespace') ?? '';
  const contract = {
    namespace: types.namespace ?? ownNamespace,
    ...readService(bindings, ports, portType, problems),
    portType: portType.attributes.get('name') ?? '',
    operations,
  };
  if (ownNamespace !== contract.namespace) {
    const text = 'the schema and the definitions have different target namespaces: use the one of the schema for both';
    problems.add('refused', root, text);
  }
  return { contract, problems: problems.sorted() };
}

function checkOthers(
  definitions: Definitions,
  bindings: readonly SoapBinding[],
  portType: XmlElement,
  problems: ContractProblems,
): void {
  const name = labelOf(portType);
  for (const { element } of bindings) {
    const bound = definitions.find('portType', element, 'type');
    if (bound && bound !== portType) {
      problems.add('refused', element, `${labelOf(element)} does not bind ${name}: both bindings have to bind it`);
    }
  }
  for (const other of definitions.all('portType')) {
    if (other !== portType) {
      problems.add('refused', other, `${labelOf(other)} beside ${name} is not supported: remove it from this file`);
    }
  }
}

/** Reads the service that has the ports of the bindings. */
function readService(
  bindings: readonly SoapBinding[],
  ports: readonly Port[],
  portType: XmlElement,
  problems: ContractProblems,
): Pick<Contract, 'service' | 'servicePlace' | 'bindings'> {
  const found: { [V in BindingVersion]?: Binding } = {};
  let service: XmlElement | undefined;
  for (const { version, name, extensions, element } of bindings) {
    const own = ports.find(({ binding }) => binding === element);
    if (!own) problems.add('refused', element, `no service has a port for binding ${name}: add one`);
    const { namespace } = soapBindings[version];
    const list = new ExtensionCollector(problems);
    for (const part of [portType, own?.service, own?.element]) if (part) list.addFrom(part, namespace);
    const [address] = own ? childrenOf(own.element, namespace, 'address') : [];
    service ??= own?.service;
    found[version] = {
      name,
      port: own?.element.attributes.get('name') ?? '',
      address: collapse(address?.attributes.get('location') ?? ''),
      extensions: [...extensions, ...list.extensions],
      place: address ?? own?.element ?? element,
    };
  }
  // A binding without a port has been reported.
  const servicePlace = service ?? (bindings[0]?.element as XmlElement);
  return { service: service?.attributes.get('name') ?? '', servicePlace, bindings: found };
}
