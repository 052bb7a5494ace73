import type { Contract, ModelField, Place, Type } from '../../src/contract/model/model';
import type { ContractProblems } from '../../src/contract/model/problems';
import { reservedWords } from './reserved-words';

/** A name that is taken, by the construct that has it. */
interface Claim {
  readonly label: string;
  readonly place: Place;
  /** True when the name is on the wire, so that only the service can change it. */
  readonly isOnWire: boolean;
}

/** Names in a WSDL become TypeScript names and file names, so they must be valid and unique. */
export function checkNames(contract: Contract, problems: ContractProblems): void {
  const checker = new NameChecker(problems);
  const { service, servicePlace, portType, portTypePlace, operations } = contract;
  for (const [kind, name, place] of [
    ['service', service, servicePlace],
    ['portType', portType, portTypePlace],
  ] as const) {
    // Without a port there is no service, which has been reported.
    if (name !== '') checker.checkType(pascalCase(name), { label: `${kind} ${name}`, place, isOnWire: false });
  }
  const client = { label: `the client of service ${service}`, place: servicePlace, isOnWire: false };
  checker.claim('name', `Messaging${pascalCase(service)}Client`, client);
  checkPorts(contract, problems);
  for (const { name, place, request, response } of operations) {
    checker.checkOperation(name, place);
    checker.define(`${name}Response`, { label: `response element ${name}Response`, place, isOnWire: true });
    for (const field of [...request.fields, ...response.fields]) checker.checkField(field);
  }
}

class NameChecker {
  readonly #problems: ContractProblems;
  readonly #taken = new Map<string, Claim>();

  constructor(problems: ContractProblems) {
    this.#problems = problems;
  }

  /** Reserves a name, and reports another construct that has it. */
  claim(what: 'name' | 'file', name: string, claim: Claim): boolean {
    const key = `${what} ${name}`;
    const other = this.#taken.get(key) ?? claim;
    this.#taken.set(key, other);
    if (other.label === claim.label) return true;
    const isOnWire = other.isOnWire && claim.isOnWire;
    const advice = isOnWire ? 'the service has to rename one of them' : 'rename one of them in this file';
    const text = `${claim.label} and ${other.label} (line ${other.place.line}) would share a ${what}: ${advice}`;
    this.#problems.add('refused', claim.place, text);
    return false;
  }

  /** Checks the name of a type, which is also the name of a file. */
  checkType(name: string, claim: Claim): void {
    const { label, place, isOnWire } = claim;
    const advice = isOnWire ? 'the service has to choose another one' : 'choose another one in this file';
    if (!IDENTIFIER.test(name) || RESERVED.has(name) || isInherited(name)) {
      this.#problems.add('refused', place, `${label}: this name cannot be the name of a TypeScript type: ${advice}`);
    }
    if (DEVICES.test(name)) {
      this.#problems.add('refused', place, `${label}: Windows allows no file of this name: ${advice}`);
    }
    this.claim('name', name, claim);
  }

  define(name: string, claim: Claim): void {
    if (this.claim('file', name.toLowerCase(), claim)) this.checkType(name, claim);
  }

  checkOperation(name: string, place: Place): void {
    const label = `operation ${name}`;
    this.define(name, { label, place, isOnWire: true });
    // node-soap defines no promise method for any other name.
    if (IDENTIFIER.test(name) && !/^\w+$/.test(name)) {
      const text =
        'an operation needs a name of letters from A to Z, digits and _: the service has to choose another one';
      this.#problems.add('refused', place, `${label}: ${text}`);
    }
  }

  checkField({ name, type, place }: ModelField): void {
    if (isInherited(name)) {
      const text = `element ${name}: every JavaScript object has a property of this name: the service has to rename it`;
      this.#problems.add('refused', place, text);
    }
    this.#checkFieldType(type, name, place);
  }

  #checkFieldType(type: Type, element: string, place: Place): void {
    if (type.kind !== 'list' && type.kind !== 'record') return;
    if (type.name === undefined) {
      const text = `element ${element} has an inline complexType: give the type a name, and use this name as the type`;
      this.#problems.add('refused', place, text);
    } else {
      this.define(type.name, { label: `complexType ${type.name}`, place, isOnWire: false });
    }
    if (type.kind === 'record' && type.fields.length === 0) {
      const text = `complexType ${type.name} has no elements: the service has to send some`;
      this.#problems.add('refused', type.place, text);
    }
    for (const field of type.kind === 'list' ? [type.item] : type.fields) this.checkField(field);
  }
}

/** Ports become properties of the service's type. */
function checkPorts({ bindings }: Contract, problems: ContractProblems): void {
  const { '1.1': first, '1.2': second } = bindings;
  for (const { port, place } of Object.values(bindings)) {
    // A binding without a port has been reported.
    if (port !== '' && (!IDENTIFIER.test(port) || isInherited(port))) {
      const text = `port ${port}: this name cannot be the name of a TypeScript property: choose another one in this file`;
      problems.add('refused', place, text);
    }
  }
  if (first?.port && first.port === second?.port) {
    problems.add('refused', second.place, `two ports are named ${second.port}: rename one of them in this file`);
  }
}

/** True for a name that each object inherits. An absent element of this name would read as the inherited function. */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** Returns the TypeScript name of a service or a portType. */
function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;
/** TypeScript's words, the types that generated files use, and the types of XML Schema in the operation table. */
const RESERVED = new Set([
  ...reservedWords,
  ...['string', 'boolean', 'short', 'int', 'long'],
  ...['Array', 'Promise', 'SoapClient', 'MethodTypes', 'StubMethods'],
]);

/** The names of devices. Windows reserves them in every folder, with any ending. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
