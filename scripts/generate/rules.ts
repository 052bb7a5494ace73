import { optionNames } from '../../src/cli/fields/option-names';
import {
  type Contract,
  type Message,
  type ModelField,
  type ModelOperation,
  simpleTypeNames,
  type Type,
} from '../../src/contract/model/model';
import type { ContractProblems } from '../../src/contract/model/problems';
import { mayBeNull } from '../../src/contract/model/values';
import { clientElements } from './client-elements';
import { reservedWords } from './reserved-words';
import { pascalCase } from './stubs';

/** What the client, the command line and the sandbox ask of a contract beyond what a WSDL may say. */
export function checkRules(contract: Contract, problems: ContractProblems): void {
  for (const operation of contract.operations) checkOperation(contract, operation, problems);
  checkNames(contract, problems);
  checkAddresses(contract, problems);
}

function checkOperation(contract: Contract, operation: ModelOperation, problems: ContractProblems): void {
  const { name, request, response, place } = operation;
  const refuse = (text: string, at = place): void => problems.add('unsupported', at, text);
  if (request.element !== name && request.element) {
    refuse(`the request element of ${name} is named ${request.element}: name it ${name}`, request.place);
  }
  if (response.element !== `${name}Response` && response.element) {
    refuse(`the response element of ${name} is named ${response.element}: name it ${name}Response`, response.place);
  }
  for (const [version, soapAction] of Object.entries(operation.soapActions)) {
    const expected = contract.namespace + name;
    if (soapAction !== expected)
      refuse(`soapAction of ${name} for SOAP ${version} is ${soapAction}: write ${expected}`);
  }
  if (request.element) {
    checkRequest(name, request, refuse);
    checkOptions(name, request, refuse);
  }
  if (response.element) checkResponse(name, response, refuse);
}

type Refuse = (text: string, at?: ModelField['place']) => void;

function checkRequest(name: string, { fields, place }: Message, refuse: Refuse): void {
  if (!endsWithStatus(fields)) {
    refuse(`the request of ${name} does not end with status (xsd:int) and statusmessage (xsd:string): add them`, place);
  }
  for (const field of fields) {
    const type = field.type.kind === 'list' ? field.type.item.type : field.type;
    if (type.kind === 'record') {
      refuse(
        `${name}: element ${field.name} of the request is a record: use plain values and lists of them`,
        field.place,
      );
    }
    if (field.type.kind === 'list' && mayBeNull(field.type.item)) {
      const what = `element ${field.name} of the request has items that may be nil`;
      refuse(`${name}: ${what}: remove nillable from ${field.type.item.name}`, field.place);
    }
    if (field.name === 'apikey' && !isPlainString(field)) {
      refuse(`${name}: apikey is not a plain xsd:string: make it one`, field.place);
    }
  }
}

/** Options of the command line are made from names, so different names may give the same option. */
function checkOptions(name: string, { fields, place }: Message, refuse: Refuse): void {
  const names = fields.map((field) => field.name).filter((field) => !clientElements.has(field));
  try {
    optionNames(names);
  } catch (error) {
    refuse(`${name}: ${(error as Error).message}: rename one of them`, place);
  }
}

function checkResponse(name: string, { fields, place }: Message, refuse: Refuse): void {
  if (fields.length !== 3 || fields[0]?.name !== `${name}Result` || !endsWithStatus(fields)) {
    refuse(`the response of ${name} is not ${name}Result, status (xsd:int) and statusmessage (xsd:string)`, place);
  }
}

function endsWithStatus(fields: readonly ModelField[]): boolean {
  const [status, statusmessage] = fields.slice(-2);
  const isNumber = status?.type.kind === 'simple' && status.type.name === 'int' && !status.nillable;
  return (
    status?.name === 'status' && isNumber && statusmessage?.name === 'statusmessage' && isPlainString(statusmessage)
  );
}

function isPlainString({ type, nillable }: ModelField): boolean {
  return type.kind === 'simple' && type.name === 'string' && !nillable;
}

/** Names become TypeScript's, and files; types that have none would have to be given one. */
function checkNames(contract: Contract, problems: ContractProblems): void {
  const taken = new Map<string, string>();
  const claim = (what: 'name' | 'file', name: string, label: string, place: ModelField['place']): boolean => {
    const key = `${what} ${name}`;
    const other = taken.get(key) ?? label;
    taken.set(key, label);
    if (other === label) return true;
    problems.add('unsupported', place, `${label} and ${other} would share a ${what}: rename one of them`);
    return false;
  };
  const checkType = (name: string, label: string, place: ModelField['place']): void => {
    if (!IDENTIFIER.test(name) || RESERVED.has(name) || isInherited(name)) {
      problems.add('unsupported', place, `${label}: this name cannot be a TypeScript type's: choose another`);
    }
  };
  const define = (kind: string, name: string, place: ModelField['place']): void => {
    const label = `${kind} ${name}`;
    checkType(name, label, place);
    if (claim('file', name.toLowerCase(), label, place)) claim('name', name, label, place);
  };
  const { service, servicePlace, portType, portTypePlace, operations } = contract;
  for (const [kind, name, place] of [
    ['service', service, servicePlace],
    ['portType', portType, portTypePlace],
  ] as const) {
    // Without a port there is no service, which has been reported.
    if (name !== '') checkType(pascalCase(name), `${kind} ${name}`, place);
    claim('name', pascalCase(name), `${kind} ${name}`, place);
  }
  claim('name', `Messaging${pascalCase(service)}Client`, `the client of service ${service}`, servicePlace);
  checkPorts(contract, problems);
  const defineType = (type: Type, { name, place }: ModelField): void => {
    if (type.kind !== 'list' && type.kind !== 'record') return;
    if (type.name === undefined) {
      problems.add(
        'unsupported',
        place,
        `element ${name} has an inline complexType: give it a name, and use that as the type`,
      );
    } else {
      define('complexType', type.name, place);
    }
    if (type.kind === 'record' && type.fields.length === 0) {
      problems.add('unsupported', type.place, `complexType ${type.name} holds no elements: give it some`);
    }
    for (const field of type.kind === 'list' ? [type.item] : type.fields) defineField(field);
  };
  const defineField = (field: ModelField): void => {
    if (isInherited(field.name)) {
      const text = `element ${field.name}: every object of JavaScript has a property of this name: rename it`;
      problems.add('unsupported', field.place, text);
    }
    defineType(field.type, field);
  };
  for (const { name, place, request, response } of operations) {
    define('operation', name, place);
    define('response element', `${name}Response`, place);
    for (const field of [...request.fields, ...response.fields]) defineField(field);
  }
}

/** Ports become properties of the service's type. */
function checkPorts({ bindings }: Contract, problems: ContractProblems): void {
  const { '1.1': first, '1.2': second } = bindings;
  for (const { port, place } of Object.values(bindings)) {
    // A binding without a port has been reported.
    if (port !== '' && (!IDENTIFIER.test(port) || isInherited(port))) {
      problems.add('unsupported', place, `port ${port}: this name cannot be a TypeScript property's: choose another`);
    }
  }
  if (first?.port && first.port === second?.port) {
    problems.add('unsupported', second.place, `two ports are named ${second.port}: rename one of them`);
  }
}

/** An absent element of this name would read as the function that each object inherits, and TypeScript mixes the two up. */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;
/** TypeScript's words, the types that generated files use, and xsd's names in the operation table. */
const RESERVED = new Set([
  ...reservedWords,
  ...simpleTypeNames,
  ...['Array', 'Promise', 'SoapClient', 'MethodTypes', 'StubMethods'],
]);

function checkAddresses({ bindings, namespace }: Contract, problems: ContractProblems): void {
  const { '1.1': first, '1.2': second } = bindings;
  if (first && second && first.address !== second.address) {
    problems.add('unwanted', second.place, 'the two ports have different addresses: use one placeholder');
  }
  if (first?.address.startsWith(namespace)) {
    const text = 'the placeholder address begins with the placeholder namespace, so the two cannot be told apart';
    problems.add('unwanted', first.place, text);
  }
}
