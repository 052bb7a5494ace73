import { SaxesParser, type SaxesTagNS } from 'saxes';

/**
 * The part of a WSDL that the client is built from. Reading it here, and not through node-soap's model, keeps the order
 * of elements, minOccurs and the line that an error message names.
 */
export interface Contract {
  readonly namespace: string;
  readonly address: string;
  readonly service: string;
  /** The one portType that both bindings bind. */
  readonly portType: string;
  readonly ports: readonly string[];
  readonly operations: readonly Operation[];
  readonly records: readonly Record[];
  readonly lists: readonly List[];
}

export interface Operation {
  readonly name: string;
  readonly request: readonly Field[];
  readonly response: readonly Field[];
}

export interface Record {
  readonly name: string;
  readonly fields: readonly Field[];
}

/** A complex type that holds nothing but repeated children, such as ArrayOfLong. */
export interface List {
  readonly name: string;
  readonly item: string;
  readonly type: string;
}

export interface Field {
  readonly name: string;
  /** XSD type or record of the element, or of the list's items. */
  readonly type: string;
  /** For a list: the name of its complex type and of its repeated child. */
  readonly list?: List;
  readonly optional: boolean;
}

/** What is wrong with a WSDL, and where: "file:line: what". */
export class ContractError extends Error {
  override name = 'ContractError';
}

const SIMPLE_TYPES = ['string', 'long', 'int', 'short'];
const WSDL_NS = 'http://schemas.xmlsoap.org/wsdl/';
const XSD_NS = 'http://www.w3.org/2001/XMLSchema';
const SOAP_BINDINGS = {
  '1.1': 'http://schemas.xmlsoap.org/wsdl/soap/',
  '1.2': 'http://schemas.xmlsoap.org/wsdl/soap12/',
};

/** Reads and checks a WSDL; throws a ContractError that names the first place where it is broken or incomplete. */
export function readContract(wsdl: string, file: string): Contract {
  const fail = (line: number, what: string): never => {
    throw new ContractError(`${file}:${line}: ${what}`);
  };
  const definitions = parse(wsdl, fail);
  if (definitions.uri !== WSDL_NS || definitions.local !== 'definitions') {
    fail(definitions.line, `the root element is ${definitions.local}, not wsdl:definitions`);
  }
  const namespace = attribute(definitions, 'targetNamespace');

  function attribute(element: Element, name: string): string {
    return element.attributes[name] ?? fail(element.line, `${element.local} has no ${name}`);
  }
  function children(parent: Element, uri: string, local: string): Element[] {
    return parent.children.filter((child) => child.uri === uri && child.local === local);
  }
  function only(parent: Element, uri: string, local: string): Element {
    const [first, second] = children(parent, uri, local);
    if (second) fail(second.line, `${parent.local} has more than one ${local}`);
    return first ?? fail(parent.line, `${parent.local}${label(parent)} has no ${local}`);
  }
  /** Resolves "tns:Name" to Name; a name in any other namespace but ours and XSD is an error. */
  function resolve(element: Element, name: string): { uri: string; local: string } {
    const qname = attribute(element, name);
    const [prefix, local] = qname.includes(':') ? (qname.split(':', 2) as [string, string]) : ['', qname];
    const uri = element.namespaces(prefix);
    if (uri !== namespace && uri !== XSD_NS)
      fail(element.line, `${qname}: the prefix is bound to neither the target namespace nor XML Schema`);
    return { uri: uri as string, local };
  }
  function find(uri: string, local: string, name: string, from: Element, parent: Element): Element {
    const found = children(parent, uri, local).filter((child) => attribute(child, 'name') === name);
    if (found[1]) fail(found[1].line, `${local} ${name} is defined twice`);
    return found[0] ?? fail(from.line, `${local} ${name} is not defined`);
  }

  const schema = only(only(definitions, WSDL_NS, 'types'), XSD_NS, 'schema');
  if (attribute(schema, 'targetNamespace') !== namespace) {
    fail(schema.line, 'the schema and the definitions have different target namespaces');
  }
  if (attribute(schema, 'elementFormDefault') !== 'qualified') {
    fail(schema.line, 'elementFormDefault is not "qualified"');
  }

  const records = new Map<string, Record>();
  const lists = new Map<string, List>();

  function readFields(complexType: Element): Field[] {
    const fields = new Map<string, Field>();
    for (const element of sequenceOf(complexType)) {
      if (attribute(element, 'maxOccurs') !== '1')
        fail(element.line, `element ${attribute(element, 'name')} repeats beside other elements: give it a list type`);
      const name = attribute(element, 'name');
      if (fields.has(name)) fail(element.line, `element ${name} stands twice in one sequence`);
      fields.set(name, readField(element, name));
    }
    return [...fields.values()];
  }
  function sequenceOf(complexType: Element): Element[] {
    const particle = only(complexType, XSD_NS, 'sequence');
    for (const child of [...complexType.children, ...particle.children]) {
      if (
        child !== particle &&
        child.local !== 'annotation' &&
        !(particle.children.includes(child) && child.local === 'element')
      ) {
        fail(child.line, `xsd:${child.local} is not supported: use a plain sequence of elements`);
      }
    }
    return children(particle, XSD_NS, 'element').map((element) => ({
      ...element,
      attributes: { minOccurs: '1', maxOccurs: '1', ...element.attributes },
    }));
  }
  function readField(element: Element, name: string): Field {
    const type = resolve(element, 'type');
    const optional = attribute(element, 'minOccurs') === '0';
    if (type.uri === XSD_NS) {
      if (!SIMPLE_TYPES.includes(type.local))
        fail(
          element.line,
          `element ${name}: type xsd:${type.local} is not supported (only ${SIMPLE_TYPES.join(', ')})`,
        );
      return { name, type: type.local, optional };
    }
    const complexType = find(XSD_NS, 'complexType', type.local, element, schema);
    const elements = sequenceOf(complexType);
    const [item] = elements;
    if (item && elements.length === 1 && attribute(item, 'maxOccurs') === 'unbounded') {
      const itemName = attribute(item, 'name');
      const itemField = readField(item, itemName);
      if (itemField.list) fail(item.line, `${type.local} is a list of lists`);
      const list = { name: type.local, item: itemName, type: itemField.type };
      lists.set(type.local, list);
      return { name, type: list.type, list, optional };
    }
    if (!records.has(type.local)) {
      const fields = readFields(complexType);
      for (const field of fields) {
        if (field.list || !SIMPLE_TYPES.includes(field.type))
          fail(complexType.line, `record ${type.local}: element ${field.name} is neither ${SIMPLE_TYPES.join(', ')}`);
      }
      records.set(type.local, { name: type.local, fields });
    }
    return { name, type: type.local, optional };
  }

  function readMessage(operation: Element, direction: 'input' | 'output'): Element {
    const reference = only(operation, WSDL_NS, direction);
    const message = find(WSDL_NS, 'message', resolve(reference, 'message').local, reference, definitions);
    const part = only(message, WSDL_NS, 'part');
    if (attribute(part, 'name') !== 'parameters') fail(part.line, 'the message part is not named "parameters"');
    return find(XSD_NS, 'element', resolve(part, 'element').local, part, schema);
  }
  function readOperation(element: Element): Operation {
    const name = attribute(element, 'name');
    const request = readMessage(element, 'input');
    const response = readMessage(element, 'output');
    if (attribute(request, 'name') !== name)
      fail(request.line, `the request element of ${name} is named ${attribute(request, 'name')}`);
    if (attribute(response, 'name') !== `${name}Response`)
      fail(response.line, `the response element of ${name} is named ${attribute(response, 'name')}`);
    const operation = {
      name,
      request: readFields(only(request, XSD_NS, 'complexType')),
      response: readFields(only(response, XSD_NS, 'complexType')),
    };
    if (operation.request[0]?.name !== 'apikey') fail(request.line, `${name}: the request does not begin with apikey`);
    checkStatus(
      operation.request.slice(-2),
      request,
      `the request of ${name} does not end with status and statusmessage`,
    );
    checkStatus(
      operation.response.slice(1),
      response,
      `the response of ${name} is not ${name}Result, status and statusmessage`,
    );
    if (operation.response[0]?.name !== `${name}Result`)
      fail(response.line, `the response of ${name} is not ${name}Result, status and statusmessage`);
    for (const field of operation.request) {
      if (!SIMPLE_TYPES.includes(field.type))
        fail(request.line, `${name}: element ${field.name} of the request is a record`);
    }
    return operation;
  }
  function checkStatus(fields: readonly Field[], element: Element, message: string): void {
    const found = fields.map((field) => `${field.name}: ${field.list ? 'list' : field.type}`).join();
    if (found !== 'status: int,statusmessage: string') fail(element.line, message);
  }

  const portType = only(definitions, WSDL_NS, 'portType');
  const operationElements = children(portType, WSDL_NS, 'operation');
  if (!operationElements.length) fail(portType.line, 'the portType has no operation');
  const operations = operationElements.map(readOperation);
  const names = operations.map((operation) => operation.name);

  function checkBinding(version: keyof typeof SOAP_BINDINGS): Element {
    const uri = SOAP_BINDINGS[version];
    const [binding, second] = children(definitions, WSDL_NS, 'binding').filter(
      (candidate) => children(candidate, uri, 'binding').length,
    );
    if (second) fail(second.line, `a second binding for SOAP ${version}`);
    if (!binding) return fail(definitions.line, `no binding for SOAP ${version}`);
    if (resolve(binding, 'type').local !== attribute(portType, 'name'))
      fail(binding.line, `binding ${attribute(binding, 'name')} does not bind portType ${attribute(portType, 'name')}`);
    const bound = children(binding, WSDL_NS, 'operation');
    for (const operation of bound) {
      const name = attribute(operation, 'name');
      if (!names.includes(name))
        fail(
          operation.line,
          `operation ${name} is in binding ${attribute(binding, 'name')} but not in portType ${attribute(portType, 'name')}`,
        );
      const soapAction = attribute(only(operation, uri, 'operation'), 'soapAction');
      if (soapAction !== namespace + name)
        fail(
          operation.line,
          `soapAction of ${name} in binding ${attribute(binding, 'name')} is ${soapAction}, not ${namespace}${name}`,
        );
    }
    for (const [index, name] of names.entries()) {
      if (!bound.some((operation) => attribute(operation, 'name') === name)) {
        fail(
          (operationElements[index] as Element).line,
          `operation ${name} is not in binding ${attribute(binding, 'name')} (SOAP ${version})`,
        );
      }
    }
    return binding;
  }
  const bindings = [checkBinding('1.1'), checkBinding('1.2')];

  const service = only(definitions, WSDL_NS, 'service');
  const ports = bindings.map((binding, index) => {
    const port = children(service, WSDL_NS, 'port').find(
      (candidate) => resolve(candidate, 'binding').local === attribute(binding, 'name'),
    );
    if (!port) return fail(service.line, `the service has no port for binding ${attribute(binding, 'name')}`);
    const uri = Object.values(SOAP_BINDINGS)[index] as string;
    return {
      name: attribute(port, 'name'),
      location: attribute(only(port, uri, 'address'), 'location'),
      line: port.line,
    };
  });
  const [first, second] = ports as [(typeof ports)[0], (typeof ports)[0]];
  if (first.location !== second.location) fail(second.line, 'the two ports have different addresses');
  if (first.location.startsWith(namespace))
    fail(first.line, 'the placeholder address begins with the placeholder namespace, so the two cannot be told apart');

  return {
    namespace,
    address: first.location,
    service: attribute(service, 'name'),
    portType: attribute(portType, 'name'),
    ports: ports.map((port) => port.name),
    operations,
    records: [...records.values()],
    lists: [...lists.values()],
  };
}

interface Element {
  readonly uri: string;
  readonly local: string;
  readonly line: number;
  readonly attributes: { readonly [name: string]: string };
  readonly children: Element[];
  readonly namespaces: (prefix: string) => string | undefined;
}

function label(element: Element): string {
  return element.attributes.name ? ` ${element.attributes.name}` : '';
}

function parse(xml: string, fail: (line: number, what: string) => never): Element {
  const parser = new SaxesParser({ xmlns: true });
  const stack: Element[] = [];
  let root: Element | undefined;
  parser.on('error', (error) => fail(parser.line, `not well-formed XML: ${error.message.replace(/^\d+:\d+: /, '')}`));
  parser.on('opentag', (tag: SaxesTagNS) => {
    // The scopes of the ancestors are copied because saxes' own resolve() only knows the place it is at.
    const scope = new Map<string, string>(Object.entries(tag.ns));
    const parent = stack.at(-1);
    const element: Element = {
      uri: tag.uri,
      local: tag.local,
      line: parser.line,
      attributes: Object.fromEntries(Object.values(tag.attributes).map(({ name, value }) => [name, value])),
      children: [],
      namespaces: (prefix) => scope.get(prefix) ?? parent?.namespaces(prefix),
    };
    parent?.children.push(element);
    root ??= element;
    stack.push(element);
  });
  parser.on('closetag', () => void stack.pop());
  parser.write(xml).close();
  return root ?? fail(1, 'the file is empty');
}
