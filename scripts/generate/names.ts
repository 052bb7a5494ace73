import { readFileSync } from 'node:fs';
import { Client } from 'soap/lib/client';
import type { WSDL } from 'soap/lib/wsdl';
import type { Contract, ModelField, ModelOperation, Place, Type } from '../../src/contract/model/model';
import type { ContractProblems } from '../../src/contract/model/problems';
import { isDeviceName } from '../../src/internal/strings';
import { findTypeNameErrors } from './compile';

/** A construct that a generated type, or a member of node-soap's client, is named after. */
interface Named {
  readonly label: string;
  readonly place: Place;
  /** True when the name is on the wire, so that only the service can change it. */
  readonly isOnWire: boolean;
}

/** Reports the names that TypeScript, JavaScript, node-soap or a file system cannot keep as they are. */
export function checkNames(contract: Contract, problems: ContractProblems): void {
  const checker = new NameChecker(problems);
  for (const operation of contract.operations) checker.checkOperation(operation);
  const { service, servicePlace } = contract;
  // Without a port there is no service, which has been reported.
  const label = `service ${service}`;
  if (service !== '') checker.addMember(service, { label, place: servicePlace, isOnWire: false });
  checker.checkTypes();
}

class NameChecker {
  readonly #problems: ContractProblems;
  readonly #taken = new Map<string, Named>();
  /** The generated types by their names. */
  readonly #types = new Map<string, Named>();

  constructor(problems: ContractProblems) {
    this.#problems = problems;
  }

  checkOperation({ name, place, request, response }: ModelOperation): void {
    const named = { label: `operation ${name}`, place, isOnWire: true };
    if (!(`${name}Async` in clientOf([name]))) {
      this.#refuse(
        named,
        'node-soap makes no promise method for a name with other characters than A to Z, digits and _',
      );
    }
    this.addMember(name, named);
    this.addMember(`${name}Async`, named);
    this.#addType(name, named);
    this.#addType(`${name}Response`, { ...named, label: `response element ${name}Response` });
    for (const field of [...request.fields, ...response.fields]) this.#checkField(field);
  }

  /** Adds a member that node-soap puts on its client for a construct. Equal members would replace each other. */
  addMember(name: string, named: Named): void {
    if (isMember(name)) this.#refuse(named, `node-soap's client has a member ${name} of its own`);
    this.#claim(`the member ${name} of node-soap's client`, name, named);
  }

  /** Adds a type, which is also the name of a file. */
  #addType(name: string, named: Named): void {
    if (isDeviceName(name)) this.#refuse(named, 'Windows allows no file of this name');
    this.#claim('a file', `${name.toLowerCase()}.ts`, named);
    this.#types.set(name, named);
  }

  /** Reports the names that TypeScript refuses. */
  checkTypes(): void {
    for (const [name, error] of findTypeNameErrors([...this.#types.keys()])) {
      this.#refuse(this.#types.get(name) as Named, `TypeScript refuses a type of this name (${error})`);
    }
  }

  #checkField({ name, type, place }: ModelField): void {
    const named = { label: `element ${name}`, place, isOnWire: true };
    if (isInherited(name)) this.#refuse(named, 'every JavaScript object has a property of this name');
    this.#checkFieldType(type, named);
  }

  #checkFieldType(type: Type, element: Named): void {
    if (type.kind !== 'list' && type.kind !== 'record') return;
    const fields = type.kind === 'list' ? [type.item] : type.fields;
    if (type.name === undefined) {
      const text = `${element.label} has an inline complexType: give the type a name, and use this name as the type`;
      this.#problems.add('refused', element.place, text);
    } else {
      // Two types may have one name in two namespaces. The place of a list's item tells them apart.
      const place = type.kind === 'list' ? type.item.place : type.place;
      const named = { label: `complexType ${type.name}`, place, isOnWire: false };
      this.#addType(type.name, named);
      if (isInherited(type.name)) this.#refuse(named, 'every JavaScript object has a property of this name');
    }
    if (type.kind === 'record' && fields.length === 0) {
      const text = `complexType ${type.name} has no elements: the service has to send some`;
      this.#problems.add('refused', type.place, text);
    }
    for (const field of fields) this.#checkField(field);
  }

  #refuse({ label, place, isOnWire }: Named, why: string): void {
    const advice = isOnWire ? 'the service has to choose another name' : 'choose another name in this file';
    this.#problems.add('refused', place, `${label}: ${why}: ${advice}`);
  }

  /** Reserves a key, and reports another construct that has it. */
  #claim(what: string, key: string, named: Named): void {
    const other = this.#taken.get(key) ?? named;
    this.#taken.set(key, other);
    if (other.label === named.label && other.place === named.place) return;
    const isOnWire = other.isOnWire && named.isOnWire;
    const advice = isOnWire ? 'the service has to rename one of them' : 'rename one of them in this file';
    const text = `${named.label} and ${other.label} (line ${other.place.line}) would share ${what}: ${advice}`;
    this.#problems.add('refused', named.place, text);
  }
}

/** True for a name that each object inherits. An absent element of this name would read as the inherited function. */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** True for a name that node-soap's client uses: a member that it has without a WSDL, or a field of its source code. */
function isMember(name: string): boolean {
  return name in bareClient || clientFields.has(name);
}

/** Makes node-soap's client with the methods of operations. */
function clientOf(operations: readonly string[]): object {
  const methods = Object.fromEntries(operations.map((name) => [name, {}]));
  const services = { service: { ports: { port: { binding: { methods } } } } };
  // The part of a WSDL that the constructor reads.
  const wsdl = { definitions: { services: operations.length > 0 ? services : {} }, options: {} } as unknown as WSDL;
  return new Client(wsdl, 'http://messaging.example/', { httpClient: {} as never });
}

const bareClient = clientOf([]);
const source = readFileSync(require.resolve('soap/lib/client'), 'utf8');
const clientFields = new Set([...source.matchAll(/\bthis\.(\w+)/g)].map(([, name]) => name));
