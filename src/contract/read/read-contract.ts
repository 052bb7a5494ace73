import type { Contract, Message, ModelOperation, SoapAction } from '../model/model';
import { brokenFile, type ContractProblem } from '../model/problems';
import { chooseBindings, operationsOf, readBinding, readBoundOperation, type SoapBinding } from './bindings';
import { Definitions } from './definitions';
import { Scope } from './scope';
import { TypeReader } from './type-reader';
import { childrenOf, labelOf, readName, WSDL_NAMESPACE } from './wsdl-names';
import { parseXml, ReadingLimits, type XmlElement } from './xml-tree';

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
  return readContract([parseXml(text, file, new ReadingLimits())], new Set());
}

/**
 * Reads a WSDL that was parsed.
 *
 * @param documents the WSDL, and what was fetched for its imports
 * @param followed the imports whose documents are among the documents
 * @param onlyOperations the operations to compare with: the bindings that share operations with them are read, and of
 *   their operations only these. Default: the first bindings with all operations
 * @throws {ContractError} when the first document is not a WSDL
 */
export function readContract(
  documents: readonly XmlElement[],
  followed: ReadonlySet<XmlElement>,
  onlyOperations?: ReadonlySet<string>,
): ParsedContract {
  const [root] = documents as [XmlElement];
  if (root.uri !== WSDL_NAMESPACE || root.local !== 'definitions') {
    throw brokenFile(root, `the root element is ${root.local}, not wsdl:definitions: give a WSDL 1.1 document`);
  }
  const definitions = new Definitions(documents, followed);
  const { portType, bindings } = chooseBindings(definitions, root, onlyOperations);
  const types = new TypeReader(definitions);
  const operations = readOperations(portType, bindings, types, onlyOperations);
  const ownNamespace = root.attributes.get('targetNamespace') ?? '';
  const [service] = bindings.flatMap(({ port }) => port?.parent ?? []);
  const contract = {
    namespace: types.namespace ?? ownNamespace,
    service: service?.attributes.get('name') ?? '',
    servicePlace: service ?? portType,
    portType: portType.attributes.get('name') ?? '',
    portTypePlace: portType,
    bindings: Object.fromEntries(bindings.map((binding) => [binding.version, readBinding(binding, portType)])),
    operations,
  };
  if (ownNamespace !== contract.namespace) {
    const text = 'the schema and the definitions have different target namespaces: use the one of the schema for both';
    root.report('refused', text);
  }
  return { contract, problems: root.problems.sorted() };
}

/** Reads the operations of the portType in its order. */
function readOperations(
  portType: XmlElement,
  bindings: readonly SoapBinding[],
  types: TypeReader,
  onlyOperations: ReadonlySet<string> | undefined,
): ModelOperation[] {
  // An operation that is not among them is read by name only, so that it cannot fail the comparison.
  const isRead = (name: string): boolean => onlyOperations?.has(name) ?? true;
  const all = operationsByName(portType, isRead);
  if (all.size === 0) portType.report('broken', `${labelOf(portType)} has no operation: add one`);
  const bound = bindings.map((binding) => ({ ...binding, operations: operationsByName(binding.element, isRead) }));
  for (const { element: binding, operations } of bound) {
    for (const [name, element] of operations) {
      const text = `operation ${name} is in ${labelOf(binding)} but not in ${labelOf(portType)}: add it there`;
      if (!all.has(name)) element.report('refused', text);
    }
  }
  return [...all].map(([name, element]) => {
    if (!isRead(name)) return unreadOperation(name, element);
    const soapActions: { [V in SoapBinding['version']]?: SoapAction } = {};
    const scope = new Scope();
    for (const { version, element: binding, operations } of bound) {
      const own = operations.get(name);
      const where = `${labelOf(binding)} (SOAP ${version})`;
      if (own) soapActions[version] = readBoundOperation(own, version, scope);
      else element.report('refused', `operation ${name} is not in ${where}: the service has to offer it there`);
    }
    return { ...readOperation(name, element, scope, types), soapActions };
  });
}

/** Returns the operations of a binding or a portType by name. */
function operationsByName(parent: XmlElement, isRead: (name: string) => boolean): Map<string, XmlElement> {
  const operations = new Map<string, XmlElement>();
  for (const element of operationsOf(parent)) {
    const name = readName(element, 'refused');
    const text = `${labelOf(element)} twice in ${labelOf(parent)}: the service has to rename one of them`;
    if (name === undefined) continue;
    if (!operations.has(name)) operations.set(name, element);
    else if (isRead(name)) element.report('broken', text);
  }
  return operations;
}

function readOperation(
  name: string,
  element: XmlElement,
  scope: Scope,
  types: TypeReader,
): Omit<ModelOperation, 'soapActions'> {
  scope.addFrom(element);
  const [first] = element.children.filter(({ local }) => local === 'input' || local === 'output');
  if (first?.local === 'output') {
    scope.add(first, `output of ${labelOf(element)} before its input`, 'put it after the input');
  }
  return {
    name,
    documentation: childrenOf(element, WSDL_NAMESPACE, 'documentation')[0]?.text ?? '',
    request: readMessage(element, 'input', scope, types),
    response: readMessage(element, 'output', scope, types),
    extensions: scope.extensions,
    place: element,
  };
}

/** Reads the message of one direction. A message that is missing, or is not a single element, is empty. */
function readMessage(operation: XmlElement, direction: 'input' | 'output', scope: Scope, types: TypeReader): Message {
  const empty = emptyMessage(operation);
  const refuse = (place: XmlElement, name: string, advice: string): Message => {
    scope.add(place, name, advice);
    return empty;
  };
  const [reference] = childrenOf(operation, WSDL_NAMESPACE, direction);
  if (!reference) {
    const what = direction === 'input' ? 'take a request' : 'send a response';
    return refuse(operation, `${labelOf(operation)} without ${direction}`, `the service has to ${what}`);
  }
  scope.addFrom(reference);
  const message = types.definitions.find('message', reference, 'message');
  if (!message) return empty;
  scope.addFrom(message);
  const parts = childrenOf(message, WSDL_NAMESPACE, 'part');
  const [part] = parts;
  if (!part || parts.length > 1) {
    const name = `${labelOf(message)} with ${parts.length} parts`;
    return refuse(message, name, 'the service has to use one part, an element');
  }
  if (!part.attributes.has('element')) {
    const name = `${labelOf(part)} of ${labelOf(message)} without an element`;
    return refuse(part, name, 'the service has to use an element, not a type');
  }
  if (readName(part, 'refused') !== 'parameters') {
    const advice = 'name it so in this file, because .NET unwraps only parts of this name';
    part.report('refused', `${labelOf(part)} is not named "parameters": ${advice}`);
  }
  const element = types.definitions.find('element', part, 'element');
  return element ? types.readMessage(element) : empty;
}

function unreadOperation(name: string, place: XmlElement): ModelOperation {
  const message = emptyMessage(place);
  return { name, documentation: '', request: message, response: message, soapActions: {}, extensions: [], place };
}

function emptyMessage(place: XmlElement): Message {
  return { element: '', fields: [], extensions: [], place };
}
