import type { Binding, BindingVersion, Contract, Feature, Message, ModelOperation } from '../model/model';
import { ContractError, type ContractProblem, ContractProblems } from '../model/problems';
import { distinct, type SoapBinding } from './bindings';
import { hasSamePortType, type Port, readBindings, readPorts } from './choose-bindings';
import { Definitions } from './definitions';
import { TypeReader } from './type-reader';
import {
  childrenOf,
  labelOf,
  readAttribute,
  readName,
  readReference,
  soapBindings,
  WSDL_NAMESPACE,
} from './wsdl-names';
import { parseXml, type XmlElement } from './xml-tree';

/** A WSDL by its meaning, and everything in it that the client does not follow. */
export interface Reading {
  readonly contract: Contract;
  readonly problems: readonly ContractProblem[];
}

/**
 * Reads a WSDL of one file.
 *
 * @param file the name that errors give
 * @throws {ContractError} when it is not XML or not a WSDL
 */
export function readWsdl(text: string, file: string): Reading {
  return readContract([parseXml(text, file)], new Set());
}

/**
 * @param documents the WSDL, and what was fetched for its imports
 * @param followed the imports whose documents are here
 * @param ours of several portTypes, the one that shares most operations with this contract is read; without it, the first
 * @throws {ContractError} when the first document is no WSDL
 */
export function readContract(
  documents: readonly XmlElement[],
  followed: ReadonlySet<XmlElement>,
  ours?: Contract,
): Reading {
  const problems = new ContractProblems();
  const [root] = documents as [XmlElement];
  if (root.uri !== WSDL_NAMESPACE || root.local !== 'definitions') {
    problems.add('broken', root, `the root element is ${root.local}, not wsdl:definitions`);
    throw new ContractError(problems.sorted());
  }
  const definitions = new Definitions(documents, followed, problems);
  const ports = readPorts(definitions, problems);
  const bindings = readBindings(definitions, root, ports, ours, problems);
  const [first] = bindings;
  const portType = first?.portType && definitions.find('portType', first.portType, first.element);
  if (!first || !portType) throw new ContractError(problems.sorted());
  checkOthers(definitions, bindings, portType, problems);
  const operations = readOperations(definitions, bindings, portType, problems);
  const contract = {
    namespace: operations[0]?.request.namespace ?? '',
    ...readService(bindings, ports, problems),
    portType: portType.attributes.get('name') as string,
    portTypePlace: portType,
    operations,
  };
  if (root.attributes.get('targetNamespace') !== contract.namespace) {
    problems.add('unwanted', root, 'the schema and the definitions have different target namespaces: use one');
  }
  return { contract: withNamespaces(contract, problems), problems: problems.sorted() };
}

function checkOthers(
  definitions: Definitions,
  bindings: readonly SoapBinding[],
  portType: XmlElement,
  problems: ContractProblems,
): void {
  const name = labelOf(portType);
  for (const { portType: bound, element } of bindings) {
    if (bound && definitions.find('portType', bound, element) !== portType) {
      problems.add('unsupported', element, `${labelOf(element)} does not bind ${name}: both bindings have to`);
    }
  }
  for (const other of definitions.all('portType')) {
    if (other !== portType) problems.add('unwanted', other, `${labelOf(other)} beside ${name}: remove it`);
  }
}

function readOperations(
  definitions: Definitions,
  bindings: readonly SoapBinding[],
  portType: XmlElement,
  problems: ContractProblems,
): ModelOperation[] {
  const types = new TypeReader(definitions.schemas);
  const operations = new Map<string, ModelOperation>();
  for (const element of childrenOf(portType, WSDL_NAMESPACE, 'operation')) {
    const name = readName(element, problems);
    if (name === undefined) continue;
    if (operations.has(name)) {
      problems.add('unsupported', element, `${labelOf(element)} twice in ${labelOf(portType)}: rename one of them`);
      continue;
    }
    const features: Feature[] = [];
    const soapActions: { [V in BindingVersion]?: string } = {};
    for (const binding of bindings) {
      const bound = binding.operations.get(name);
      if (!bound) {
        const what = `operation ${name} is not in binding ${binding.name} (SOAP ${binding.version}): add it`;
        problems.add('unsupported', element, what);
        continue;
      }
      soapActions[binding.version] = bound.soapAction;
      features.push(...bound.features);
    }
    operations.set(name, {
      name,
      documentation: childrenOf(element, WSDL_NAMESPACE, 'documentation')[0]?.text ?? '',
      request: readMessage(definitions, types, element, 'input', features, problems),
      response: readMessage(definitions, types, element, 'output', features, problems),
      soapActions,
      // Both bindings have the same features as a rule.
      features: distinct(features),
      place: element,
    });
  }
  if (operations.size === 0) problems.add('broken', portType, `${labelOf(portType)} has no operation`);
  for (const binding of bindings) {
    // What it says of another portType is no matter of this one.
    if (bindings[0] && !hasSamePortType(binding, bindings[0])) continue;
    for (const [name, { element }] of binding.operations) {
      const text = `operation ${name} is in binding ${binding.name} but not in ${labelOf(portType)}`;
      if (!operations.has(name)) problems.add('broken', element, text);
    }
  }
  return [...operations.values()];
}

/** The message of one direction; one that is not there, or is not a single element, is empty. */
function readMessage(
  definitions: Definitions,
  types: TypeReader,
  operation: XmlElement,
  direction: 'input' | 'output',
  features: Feature[],
  problems: ContractProblems,
): Message {
  const empty: Message = { element: '', namespace: '', fields: [], features: [], place: operation };
  const unsupported = (place: XmlElement, name: string, advice: string): Message => {
    problems.add('unsupported', place, `${name} is not supported: ${advice}`);
    features.push({ name, requests: true, answers: true });
    return empty;
  };
  const [reference] = childrenOf(operation, WSDL_NAMESPACE, direction);
  if (!reference) return unsupported(operation, `${labelOf(operation)} without ${direction}`, 'add one');
  const message = definitions.referred('message', reference, 'message');
  if (!message) return empty;
  const parts = childrenOf(message, WSDL_NAMESPACE, 'part');
  const [part] = parts;
  if (!part || parts.length > 1) {
    return unsupported(message, `${labelOf(message)} with ${parts.length} parts`, 'give it one part, an element');
  }
  if (!part.attributes.has('element')) {
    return unsupported(
      part,
      `${labelOf(part)} of ${labelOf(message)} without an element`,
      'name an element, not a type',
    );
  }
  if (readName(part, problems) !== 'parameters') {
    problems.add('unwanted', part, `the message part is not named "parameters": .NET unwraps only that name`);
  }
  const name = readReference(part, 'element', problems);
  const element = name && definitions.schemas.find('element', name, part);
  return element ? types.readMessage(element) : empty;
}

/** The service whose ports are those of the bindings. */
function readService(
  bindings: readonly SoapBinding[],
  ports: readonly Port[],
  problems: ContractProblems,
): Pick<Contract, 'service' | 'servicePlace' | 'bindings'> {
  const found: { [V in BindingVersion]?: Binding } = {};
  let service: XmlElement | undefined;
  for (const { version, name: bindingName, features, element } of bindings) {
    const own = ports.find(({ binding }) => binding === element);
    if (!own) problems.add('unsupported', element, `no service has a port for binding ${bindingName}: add one`);
    const [address] = own ? childrenOf(own.element, soapBindings[version].namespace, 'address') : [];
    service ??= own?.service;
    found[version] = {
      name: bindingName,
      port: own?.element.attributes.get('name') ?? '',
      features,
      address: (address && readAttribute(address, 'location', problems)) ?? '',
      place: own?.element ?? element,
    };
  }
  // A binding without a port has been reported.
  const servicePlace = service ?? (bindings[0]?.element as XmlElement);
  return { service: service?.attributes.get('name') ?? '', servicePlace, bindings: found };
}

/** Messages outside the contract's namespace say so: their elements are others to the client. */
function withNamespaces(contract: Contract, problems: ContractProblems): Contract {
  // Many operations may have one message: it is copied once.
  const checked = new Map<Message, Message>();
  const check = (message: Message): Message => {
    const known = checked.get(message) ?? checkNew(message);
    checked.set(message, known);
    return known;
  };
  const checkNew = (message: Message): Message => {
    if (message.namespace === contract.namespace || message.element === '') return message;
    const name = `element ${message.element} in namespace ${message.namespace}`;
    problems.add('unsupported', message.place, `${name} is not supported: define it in ${contract.namespace}`);
    return { ...message, features: [...message.features, { name, requests: true, answers: true }] };
  };
  const operations = contract.operations.map((operation) => ({
    ...operation,
    request: check(operation.request),
    response: check(operation.response),
  }));
  return { ...contract, operations };
}
