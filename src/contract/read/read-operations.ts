import type { Contract, Message, ModelOperation } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { checkBody, readBoundOperation, type SoapBinding } from './bindings';
import type { Definitions } from './definitions';
import { ExtensionCollector } from './extensions';
import type { TypeReader } from './type-reader';
import { childrenOf, labelOf, readName, WSDL_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

type SoapActions = { -readonly [V in keyof ModelOperation['soapActions']]: ModelOperation['soapActions'][V] };

/** The sources of operations. */
export interface OperationSources {
  readonly definitions: Definitions;
  readonly types: TypeReader;
  readonly bindings: readonly SoapBinding[];
  readonly problems: ContractProblems;
}

/**
 * Reads the operations of a portType.
 *
 * @param ours operations that it lacks are read by name only, so that they cannot fail the comparison
 */
export function readOperations(
  sources: OperationSources,
  portType: XmlElement,
  ours: Contract | undefined,
): ModelOperation[] {
  const { definitions, bindings, problems } = sources;
  const known = ours && new Set(ours.operations.map(({ name }) => name));
  const operations = new Map<string, ModelOperation>();
  for (const element of childrenOf(portType, WSDL_NAMESPACE, 'operation')) {
    const name = element.attributes.get('name');
    const isUnknown = name !== undefined && known?.has(name) === false;
    if (isUnknown) operations.set(name, unreadOperation(name, element));
    if (isUnknown || readName(element, problems) === undefined || name === undefined) continue;
    if (operations.has(name)) {
      const text = `${labelOf(element)} twice in ${labelOf(portType)}: the service has to rename one of them`;
      problems.add('refused', element, text);
      continue;
    }
    operations.set(name, readOperation(sources, name, element));
  }
  if (operations.size === 0) problems.add('broken', portType, `${labelOf(portType)} has no operation: add one`);
  for (const binding of bindings) {
    // Skip bindings of other portTypes.
    if (definitions.find('portType', binding.element, 'type') !== portType) continue;
    for (const [name, [element = portType]] of binding.operations) {
      const text = `operation ${name} is in binding ${binding.name} but not in ${labelOf(portType)}: add it there`;
      if (!operations.has(name)) problems.add(known ? 'refused' : 'broken', element, text);
    }
  }
  return [...operations.values()];
}

function unreadOperation(name: string, place: XmlElement): ModelOperation {
  const message = emptyMessage(place);
  return { name, documentation: '', request: message, response: message, soapActions: {}, extensions: [], place };
}

function emptyMessage(place: XmlElement): Message {
  return { element: '', namespace: '', fields: [], extensions: [], place };
}

function readOperation(sources: OperationSources, name: string, element: XmlElement): ModelOperation {
  const { bindings, problems } = sources;
  const list = new ExtensionCollector(problems);
  const soapActions: SoapActions = {};
  for (const { version, name: binding, operations } of bindings) {
    const [bound, second] = operations.get(name) ?? [];
    if (!bound) {
      const text = `operation ${name} is not in binding ${binding} (SOAP ${version}): the service has to offer it there`;
      problems.add('refused', element, text);
      continue;
    }
    const text = `operation ${name} is bound twice in binding ${binding}: remove one of them`;
    if (second) problems.add('broken', second, text);
    soapActions[version] = readBoundOperation(bound, version, list);
  }
  list.addFrom(element);
  const [first] = element.children.filter(({ local }) => local === 'input' || local === 'output');
  if (first?.local === 'output')
    list.add(first, `output of ${labelOf(element)} before its input`, 'put it after the input');
  return {
    name,
    documentation: childrenOf(element, WSDL_NAMESPACE, 'documentation')[0]?.text ?? '',
    request: readMessage(sources, element, 'input', list),
    response: readMessage(sources, element, 'output', list),
    soapActions,
    extensions: list.extensions,
    place: element,
  };
}

/** Reads the message of one direction. A message that is missing, or is not a single element, is empty. */
function readMessage(
  { definitions, types, bindings, problems }: OperationSources,
  operation: XmlElement,
  direction: 'input' | 'output',
  list: ExtensionCollector,
): Message {
  const empty = emptyMessage(operation);
  const refuse = (place: XmlElement, name: string, advice: string): Message => {
    list.add(place, name, advice);
    return empty;
  };
  const [reference] = childrenOf(operation, WSDL_NAMESPACE, direction);
  if (!reference) {
    const what = direction === 'input' ? 'take a request' : 'send a response';
    return refuse(operation, `${labelOf(operation)} without ${direction}`, `the service has to ${what}`);
  }
  list.addFrom(reference);
  const message = definitions.find('message', reference, 'message');
  if (!message) return empty;
  list.addFrom(message);
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
  const partName = readName(part, problems, 'refused') ?? '';
  if (partName !== 'parameters') {
    const advice = 'name it so in this file, because .NET unwraps only parts of this name';
    problems.add('refused', part, `${labelOf(part)} is not named "parameters": ${advice}`);
  }
  for (const { version, operations } of bindings) {
    const [bound] = operations.get(operation.attributes.get('name') ?? '') ?? [];
    if (bound) checkBody(bound, version, direction, partName, list);
  }
  const element = definitions.find('element', part, 'element');
  return element ? types.readMessage(element) : empty;
}
